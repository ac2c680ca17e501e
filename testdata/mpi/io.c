/* MPI-IO: individual, explicit, shared and ordered access; blocking, non-
 * blocking, collective and split; views. */
#include "check.h"
#define N 8

static int in[N], out[N];
static MPI_File f;
static MPI_Request r;
static MPI_Status s;

static void same(int base)
{
    for (int i = 0; i < N; i++) CHECK(in[i] == base + i);
}

static void explicit_offsets(void)
{
    MPI_Offset at = (MPI_Offset)rank * sizeof out;
    for (int form = 0; form < 5; form++) {
        for (int i = 0; i < N; i++) out[i] = 1000 * form + 100 * rank + i, in[i] = -1;
        switch (form) {
        case 0: MPI_File_write_at(f, at, out, N, MPI_INT, &s), MPI_File_read_at(f, at, in, N, MPI_INT, &s); break;
        case 1: MPI_File_write_at_all(f, at, out, N, MPI_INT, &s), MPI_File_read_at_all(f, at, in, N, MPI_INT, &s); break;
        case 2:
            MPI_File_iwrite_at(f, at, out, N, MPI_INT, &r), MPI_Wait(&r, &s);
            MPI_File_iread_at(f, at, in, N, MPI_INT, &r), MPI_Wait(&r, &s);
            break;
        case 3:
            MPI_File_iwrite_at_all(f, at, out, N, MPI_INT, &r), MPI_Wait(&r, &s);
            MPI_File_iread_at_all(f, at, in, N, MPI_INT, &r), MPI_Wait(&r, &s);
            break;
        case 4:
            MPI_File_write_at_all_begin(f, at, out, N, MPI_INT), MPI_File_write_at_all_end(f, out, &s);
            MPI_File_read_at_all_begin(f, at, in, N, MPI_INT), MPI_File_read_at_all_end(f, in, &s);
            break;
        }
        same(1000 * form + 100 * rank);
    }
}

static void individual(void)
{
    MPI_Datatype stripe;
    MPI_Offset p;
    char rep[MPI_MAX_DATAREP_STRING];
    MPI_Datatype etype, view;
    MPI_Offset disp;
    MPI_Type_vector(N, 1, size, MPI_INT, &stripe);
    MPI_Type_commit(&stripe);
    for (int form = 0; form < 5; form++) {
        MPI_File_set_view(f, (MPI_Offset)rank * sizeof(int), MPI_INT, stripe, "native", MPI_INFO_NULL);
        for (int i = 0; i < N; i++) out[i] = 1000 * form + 100 * rank + i, in[i] = -1;
#define BACK MPI_File_seek(f, 0, MPI_SEEK_SET)
        switch (form) {
        case 0: MPI_File_write(f, out, N, MPI_INT, &s), BACK, MPI_File_read(f, in, N, MPI_INT, &s); break;
        case 1: MPI_File_write_all(f, out, N, MPI_INT, &s), BACK, MPI_File_read_all(f, in, N, MPI_INT, &s); break;
        case 2:
            MPI_File_iwrite(f, out, N, MPI_INT, &r), MPI_Wait(&r, &s), BACK;
            MPI_File_iread(f, in, N, MPI_INT, &r), MPI_Wait(&r, &s);
            break;
        case 3:
            MPI_File_iwrite_all(f, out, N, MPI_INT, &r), MPI_Wait(&r, &s), BACK;
            MPI_File_iread_all(f, in, N, MPI_INT, &r), MPI_Wait(&r, &s);
            break;
        case 4:
            MPI_File_write_all_begin(f, out, N, MPI_INT), MPI_File_write_all_end(f, out, &s), BACK;
            MPI_File_read_all_begin(f, in, N, MPI_INT), MPI_File_read_all_end(f, in, &s);
            break;
        }
        same(1000 * form + 100 * rank);
        MPI_File_get_position(f, &p);
        CHECK(p == N);
        MPI_File_get_byte_offset(f, 1, &p);
        CHECK(p == (MPI_Offset)(rank + size) * (MPI_Offset)sizeof(int));
    }
    MPI_File_get_view(f, &disp, &etype, &view, rep);
    CHECK(disp == (MPI_Offset)rank * (MPI_Offset)sizeof(int) && !strcmp(rep, "native"));
    MPI_Type_free(&view);
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_Type_free(&stripe);
}

static void shared(void)
{
    MPI_Offset p;
    long sum = 0, total;
    for (int form = 0; form < 4; form++) {
        for (int i = 0; i < N; i++) out[i] = 1, in[i] = 0;
        MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
        MPI_Barrier(MPI_COMM_WORLD);
        switch (form) {
        case 0: MPI_File_write_shared(f, out, N, MPI_INT, &s); break;
        case 1: MPI_File_iwrite_shared(f, out, N, MPI_INT, &r), MPI_Wait(&r, &s); break;
        case 2: MPI_File_write_ordered(f, out, N, MPI_INT, &s); break;
        case 3: MPI_File_write_ordered_begin(f, out, N, MPI_INT), MPI_File_write_ordered_end(f, out, &s); break;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_get_position_shared(f, &p);
        CHECK(p == (MPI_Offset)N * size);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
        MPI_Barrier(MPI_COMM_WORLD);
        switch (form) {
        case 0: MPI_File_read_shared(f, in, N, MPI_INT, &s); break;
        case 1: MPI_File_iread_shared(f, in, N, MPI_INT, &r), MPI_Wait(&r, &s); break;
        case 2: MPI_File_read_ordered(f, in, N, MPI_INT, &s); break;
        case 3: MPI_File_read_ordered_begin(f, in, N, MPI_INT), MPI_File_read_ordered_end(f, in, &s); break;
        }
        sum = 0;
        for (int i = 0; i < N; i++) sum += in[i];
        MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(total == (long)N * size);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    const char *path = argc > 1 ? argv[1] : "io.dat"; /* here: jobs at the same time have folders of their own */
    MPI_Offset bytes;
    MPI_Info info;
    MPI_Group g;
    MPI_Aint extent;
    int mode, atomic;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    CHECK(f != MPI_FILE_NULL);
    MPI_File_set_errhandler(f, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_size(f, 0);
    MPI_File_preallocate(f, 4096);
    explicit_offsets();
    individual();
    shared();
    MPI_File_get_size(f, &bytes);
    CHECK(bytes >= (MPI_Offset)(N * size * sizeof(int)));
    MPI_File_get_amode(f, &mode);
    CHECK(mode == (MPI_MODE_CREATE | MPI_MODE_RDWR));
    MPI_File_set_atomicity(f, 1);
    MPI_File_get_atomicity(f, &atomic);
    CHECK(atomic);
    MPI_File_sync(f);
    MPI_File_get_group(f, &g);
    MPI_Group_free(&g);
    MPI_File_get_info(f, &info);
    MPI_File_set_info(f, info);
    MPI_Info_free(&info);
    MPI_File_get_type_extent(f, MPI_INT, &extent);
    CHECK(extent == 4);
    MPI_File_close(&f);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_File_delete(path, MPI_INFO_NULL);
    return finish("io", N);
}
