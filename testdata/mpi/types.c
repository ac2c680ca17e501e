/* Every datatype constructor, packed and unpacked, taken apart again with
 * get_envelope and get_contents. */
#include "check.h"

static long checksum;

static void inspect(MPI_Datatype t, int depth)
{
    int ni, na, nd, how, ints[64];
    MPI_Aint addrs[64];
    MPI_Datatype types[16];
    MPI_Type_get_envelope(t, &ni, &na, &nd, &how);
    if (how == MPI_COMBINER_NAMED) return;
    CHECK(ni <= 64 && na <= 64 && nd <= 16);
    MPI_Type_get_contents(t, ni, na, nd, ints, addrs, types);
    for (int i = 0; i < nd; i++) {
        int a, b, c, inner;
        inspect(types[i], depth + 1);
        MPI_Type_get_envelope(types[i], &a, &b, &c, &inner);
        if (inner != MPI_COMBINER_NAMED) MPI_Type_free(&types[i]);
    }
    checksum += ni + 2 * na + 3 * nd + depth;
}

static void check(MPI_Datatype t)
{
    static char from[1 << 14], to[1 << 14], packed[1 << 15];
    int bytes, room, at = 0, back = 0;
    MPI_Aint lb, extent, tlb, text;
    MPI_Count big;
    MPI_Type_commit(&t);
    MPI_Type_size(t, &bytes);
    MPI_Type_size_x(t, &big);
    MPI_Type_get_extent(t, &lb, &extent);
    MPI_Type_get_true_extent(t, &tlb, &text);
    CHECK(big == bytes && text >= 0 && extent < (MPI_Aint)sizeof from / 2);
    for (size_t i = 0; i < sizeof from; i++) from[i] = i * 31, to[i] = 0;
    MPI_Pack_size(1, t, MPI_COMM_WORLD, &room);
    CHECK(room >= bytes && room < (int)sizeof packed);
    MPI_Pack(from + 4096, 1, t, packed, sizeof packed, &at, MPI_COMM_WORLD);
    MPI_Unpack(packed, at, &back, to + 4096, 1, t, MPI_COMM_WORLD);
    CHECK(at == back);
    long n = 0;
    for (size_t i = 0; i < sizeof to; i++) n += to[i] != 0 && to[i] == from[i];
    CHECK(n > 0 && n <= bytes);
    inspect(t, 0);
    checksum += bytes + extent;
    MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int lengths[3] = {1, 2, 3}, at[3] = {0, 5, 10};
    MPI_Aint bytes[3] = {0, 40, 80};
    MPI_Datatype kinds[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, t, u;
    MPI_Type_contiguous(4, MPI_INT, &t), check(t);
    MPI_Type_vector(3, 2, 4, MPI_INT, &t), check(t);
    MPI_Type_create_hvector(3, 2, 40, MPI_INT, &t), check(t);
    MPI_Type_indexed(3, lengths, at, MPI_INT, &t), check(t);
    MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &t), check(t);
    MPI_Type_create_indexed_block(3, 2, at, MPI_INT, &t), check(t);
    MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &t), check(t);
    MPI_Type_create_struct(3, lengths, bytes, kinds, &t), check(t);
    int sizes[2] = {8, 8}, sub[2] = {3, 4}, from[2] = {1, 2};
    MPI_Type_create_subarray(2, sizes, sub, from, MPI_ORDER_C, MPI_INT, &t), check(t);
    MPI_Type_create_subarray(2, sizes, sub, from, MPI_ORDER_FORTRAN, MPI_INT, &t), check(t);
    int distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, args[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, procs[2] = {size, 1};
    MPI_Type_create_darray(size, rank, 2, sizes, distribs, args, procs, MPI_ORDER_C, MPI_INT, &t), check(t);
    MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &u);
    MPI_Type_create_resized(u, 0, 64, &t);
    MPI_Type_free(&u); /* t keeps its layout */
    MPI_Type_dup(t, &u), check(t);
    MPI_Type_contiguous(3, u, &t), check(t), check(u);
    MPI_Type_create_f90_real(6, 30, &t), inspect(t, 0);
    MPI_Type_create_f90_integer(5, &t), inspect(t, 0);
    MPI_Type_create_f90_complex(6, 30, &t), inspect(t, 0);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t);

    char name[MPI_MAX_OBJECT_NAME], ext[256];
    int n, double4[4] = {1, 2, 3, 4}, back[4] = {0};
    MPI_Aint room, pos = 0;
    MPI_Type_contiguous(4, MPI_INT, &t);
    MPI_Type_set_name(t, "four");
    MPI_Type_get_name(t, name, &n);
    CHECK(!strcmp(name, "four"));
    MPI_Type_free(&t);
    MPI_Pack_external_size("external32", 4, MPI_INT, &room);
    MPI_Pack_external("external32", double4, 4, MPI_INT, ext, sizeof ext, &pos);
    CHECK(room == pos);
    pos = 0;
    MPI_Unpack_external("external32", ext, room, &pos, back, 4, MPI_INT);
    CHECK(back[3] == 4);
    /* The sum of the darray depends on the rank: print rank 0's. */
    return finish("types", checksum);
}
