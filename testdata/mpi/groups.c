/* Group algebra. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Group world, low, odd, a, b, c, d, e, f, empty;
    int ranges[1][3] = {{0, size - 1, 2}}, n, r, how, zero[2] = {0, 1}, there[2], last = size - 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, zero, &low);
    MPI_Group_range_excl(world, 1, ranges, &odd);
    MPI_Group_range_incl(world, 1, ranges, &a);
    MPI_Group_excl(world, 1, &last, &b);
    MPI_Group_union(low, odd, &c);
    MPI_Group_intersection(low, odd, &d);
    MPI_Group_difference(world, odd, &e);
    MPI_Group_incl(world, 0, NULL, &empty);
    MPI_Group_compare(a, e, &how);
    CHECK(how == MPI_IDENT);
    MPI_Group_compare(empty, MPI_GROUP_EMPTY, &how);
    CHECK(how == MPI_IDENT);
    MPI_Group_size(c, &n);
    CHECK(n == size / 2 + 1);
    MPI_Group_rank(odd, &r);
    CHECK(r == (rank % 2 ? rank / 2 : MPI_UNDEFINED));
    MPI_Group_translate_ranks(low, 2, zero, odd, there);
    CHECK(there[0] == MPI_UNDEFINED && there[1] == 0);
    MPI_Group_incl(odd, 1, zero, &f);
    MPI_Group_compare(f, d, &how);
    CHECK(how == MPI_IDENT);
    MPI_Group all[9] = {world, low, odd, a, b, c, d, e, f};
    for (int i = 0; i < 9; i++) MPI_Group_free(&all[i]);
    if (empty != MPI_GROUP_EMPTY && empty != MPI_GROUP_NULL) MPI_Group_free(&empty);
    return finish("groups", n);
}
