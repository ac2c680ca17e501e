/* Completion and arrival found by polling: Test*, Waitany, Waitsome, Iprobe,
 * Improbe. How often a poll fails differs from run to run. */
#include "check.h"
#define N 6

static int in[N], out[N];

static void post(int peer, int tag, MPI_Request *r)
{
    for (int i = 0; i < N; i++) {
        out[i] = 100 * rank + i;
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, peer, tag + i, MPI_COMM_WORLD, &r[i]);
    }
}

static void reply(int peer, int tag) /* in reverse, so that completion is out of order */
{
    for (int i = N - 1; i >= 0; i--) MPI_Send(&out[i], 1, MPI_INT, peer, tag + i, MPI_COMM_WORLD);
}

static void check(int peer)
{
    for (int i = 0; i < N; i++) CHECK(in[i] == 100 * peer + i);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int peer = rank ^ 1, flag, index, done, indices[N];
    MPI_Request r[N];
    MPI_Status s, ss[N];
    for (int round = 0; round < 20; round++) {
        post(peer, 0, r), reply(peer, 0);
        for (int i = 0; i < N; i++)
            do MPI_Test(&r[i], &flag, &s);
            while (!flag);
        check(peer);

        post(peer, 10, r), reply(peer, 10);
        do MPI_Testall(N, r, &flag, round % 2 ? ss : MPI_STATUSES_IGNORE);
        while (!flag);
        check(peer);

        post(peer, 20, r), reply(peer, 20);
        for (int i = 0; i < N; i++) {
            do MPI_Testany(N, r, &index, &flag, &s);
            while (!flag);
            CHECK(index >= 0 && s.MPI_TAG == 20 + index);
        }
        check(peer);

        post(peer, 30, r), reply(peer, 30);
        for (int left = N; left > 0; left -= done) {
            MPI_Testsome(N, r, &done, indices, ss);
            for (int i = 0; i < done; i++) CHECK(ss[i].MPI_TAG == 30 + indices[i]);
        }
        MPI_Testsome(N, r, &done, indices, ss);
        CHECK(done == MPI_UNDEFINED);
        check(peer);

        post(peer, 40, r), reply(peer, 40);
        for (int left = N; left > 0; left -= done) MPI_Waitsome(N, r, &done, indices, ss);
        check(peer);

        post(peer, 50, r), reply(peer, 50);
        for (int i = 0; i < N; i++) {
            MPI_Waitany(N, r, &index, &s);
            CHECK(s.MPI_TAG == 50 + index);
        }
        check(peer);

        MPI_Isend(out, 1, MPI_INT, peer, 60, MPI_COMM_WORLD, r);
        do MPI_Iprobe(MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &flag, &s);
        while (!flag);
        MPI_Recv(in, 1, MPI_INT, s.MPI_SOURCE, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(r, MPI_STATUS_IGNORE);

        MPI_Message m;
        MPI_Isend(out, 1, MPI_INT, peer, 70, MPI_COMM_WORLD, r);
        do MPI_Improbe(peer, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &m, &s);
        while (!flag);
        MPI_Mrecv(in, 1, MPI_INT, &m, &s);
        CHECK(s.MPI_TAG == 70 && in[0] == 100 * peer && m == MPI_MESSAGE_NULL);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    }
    return finish("polling", N);
}
