/* Communicators made in every way, used, named, compared and freed. */
#include "check.h"

static void use(MPI_Comm c)
{
    if (c == MPI_COMM_NULL) return;
    int one = 1, n, sum;
    MPI_Comm_size(c, &n);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
    CHECK(sum == n);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int step = 0; step < 5; step++) {
        MPI_Comm c[12];
        MPI_Request r[2];
        MPI_Info info;
        MPI_Group world, some;
        int n = 0, how, ranks[2] = {0, size - 1}, length;
        char name[MPI_MAX_OBJECT_NAME];
        MPI_Info_create(&info);
        MPI_Info_set(info, "tabard_test", "yes");
        MPI_Comm_dup(MPI_COMM_WORLD, &c[n++]);
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &c[n++]);
        MPI_Comm_idup(MPI_COMM_WORLD, &c[n], &r[0]);
        MPI_Comm_idup(MPI_COMM_WORLD, &c[n + 1], &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        n += 2;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &c[n++]);
        MPI_Comm_split(MPI_COMM_WORLD, rank ? 0 : MPI_UNDEFINED, 0, &c[n++]);
        CHECK(rank != 0 || c[n - 1] == MPI_COMM_NULL);
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &c[n++]);
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 2, ranks, &some);
        MPI_Comm_create(MPI_COMM_WORLD, some, &c[n++]);
        if (rank == 0 || rank == size - 1) {
            MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &c[n]);
            use(c[n]);
            MPI_Comm_free(&c[n]);
        }
        MPI_Comm_dup(c[4], &c[n++]);
        MPI_Group_free(&some);
        MPI_Group_free(&world);
        MPI_Comm_compare(c[0], MPI_COMM_WORLD, &how);
        CHECK(how == MPI_CONGRUENT);
        MPI_Comm_compare(c[4], c[0], &how);
        CHECK(how == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
        MPI_Comm_set_name(c[0], "the first copy");
        MPI_Comm_get_name(c[0], name, &length);
        CHECK(!strcmp(name, "the first copy") && length == 14);
        MPI_Comm_set_info(c[0], info);
        MPI_Info used;
        MPI_Comm_get_info(c[0], &used);
        MPI_Info_free(&used);
        MPI_Info_free(&info);
        for (int i = 0; i < n; i++) use(c[i]);
        for (int i = 0; i < n; i++)
            if (c[i] != MPI_COMM_NULL) MPI_Comm_free(&c[i]);
    }
    return finish("comms", size);
}
