/* One-sided communication: all operations under fence, post/start/complete/
 * wait, locks, flushes, and with requests. */
#include "check.h"

static long *mem;
static MPI_Win win;

static void fences(int peer)
{
    long x = rank, y = -1;
    mem[0] = -1;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&x, 1, MPI_LONG, peer, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    CHECK(mem[0] == peer);
    MPI_Get(&y, 1, MPI_LONG, peer, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    CHECK(y == rank);
    mem[1] = 0;
    MPI_Win_fence(0, win);
    for (int r = 0; r < size; r++) MPI_Accumulate(&x, 1, MPI_LONG, r, 1, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(mem[1] == size * (size - 1) / 2);
}

static void pscw(int peer)
{
    long x = 100 + rank;
    int flag;
    MPI_Group world, other;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    for (int i = 0; i < 2; i++) {
        MPI_Win_post(other, 0, win);
        MPI_Win_start(other, 0, win);
        MPI_Put(&x, 1, MPI_LONG, peer, 2, 1, MPI_LONG, win);
        MPI_Win_complete(win);
        if (i) {
            MPI_Win_wait(win);
        } else {
            do MPI_Win_test(win, &flag);
            while (!flag);
        }
        CHECK(mem[2] == 100 + peer);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&world);
}

static void locks(int peer)
{
    long one = 1, old = -1, zero = 0, got[2];
    MPI_Request r[4];
    mem[3] = mem[4] = mem[5] = mem[6] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, win);
    MPI_Get(&old, 1, MPI_LONG, peer, 3, 1, MPI_LONG, win);
    MPI_Win_flush(peer, win);
    old++;
    MPI_Put(&old, 1, MPI_LONG, peer, 3, 1, MPI_LONG, win);
    MPI_Win_flush_local(peer, win);
    MPI_Win_unlock(peer, win);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 4, MPI_SUM, win);
    MPI_Win_flush_all(win);
    CHECK(old >= 0 && old < size);
    MPI_Get_accumulate(&one, 1, MPI_LONG, &old, 1, MPI_LONG, 0, 5, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush_local_all(win);
    one = rank + 1;
    MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, peer, 6, win);
    MPI_Win_flush(peer, win);
    CHECK(old == 0);
    MPI_Win_sync(win);

    one = 7 + rank;
    MPI_Rput(&one, 1, MPI_LONG, peer, 8, 1, MPI_LONG, win, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Win_flush(peer, win);
    MPI_Rget(&got[0], 1, MPI_LONG, peer, 8, 1, MPI_LONG, win, &r[0]);
    MPI_Raccumulate(&one, 1, MPI_LONG, peer, 9, 1, MPI_LONG, MPI_REPLACE, win, &r[1]);
    MPI_Rget_accumulate(&one, 1, MPI_LONG, &got[1], 1, MPI_LONG, peer, 10, 1, MPI_LONG, MPI_NO_OP, win, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    CHECK(got[0] == 7 + rank);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
        CHECK(mem[3] == 1 && mem[4] == size && mem[5] == size && mem[6] == peer + 1);
        MPI_Win_unlock(0, win);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    static long fixed[16];
    char name[MPI_MAX_OBJECT_NAME];
    int n;
    for (int kind = 0; kind < 2; kind++) {
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "same_size", "true");
        if (kind) {
            MPI_Win_allocate(16 * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &mem, &win);
        } else {
            mem = fixed;
            MPI_Win_create(mem, 16 * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win);
        }
        MPI_Info_free(&info);
        MPI_Win_set_name(win, "shelf");
        MPI_Win_get_name(win, name, &n);
        CHECK(!strcmp(name, "shelf"));
        MPI_Win_get_info(win, &info);
        MPI_Win_set_info(win, info);
        MPI_Info_free(&info);
        MPI_Group g;
        MPI_Win_get_group(win, &g);
        MPI_Group_free(&g);
        for (int i = 0; i < 5; i++) fences(rank ^ 1), pscw(rank ^ 1), locks(rank ^ 1);
        MPI_Win_free(&win);
    }
    return finish("rma", n);
}
