/* Files that are there before MPI opens them, and come and go without it: read, deleted, created again where none may be, and a
 * few for each rank with names of their own. */
#include "check.h"
#include <unistd.h>
#define N 16

static MPI_File f;

static void make(const char *name, int n)
{
    FILE *file = fopen(name, "wb");
    for (int i = 0; i < n; i++) putc(i, file);
    fclose(file);
}

static MPI_Offset read_all(MPI_Comm comm, const char *name, int offset, int count)
{
    char in[256];
    MPI_Offset bytes;
    MPI_File_open(comm, (char *)name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
    MPI_File_get_size(f, &bytes);
    MPI_File_read_at(f, offset, in, count, MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK(in[0] == (char)offset && in[count - 1] == (char)(offset + count - 1));
    MPI_File_close(&f);
    return bytes;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Offset sum = 0;
    if (rank == 0) make("files-in.dat", N * size), make("files-old.dat", 3);
    MPI_Barrier(MPI_COMM_WORLD);
    sum += read_all(MPI_COMM_WORLD, "files-in.dat", N * rank, N);
    if (rank == 0) {
        CHECK(MPI_File_delete("files-old.dat", MPI_INFO_NULL) == MPI_SUCCESS);
        CHECK(MPI_File_delete("files-old.dat", MPI_INFO_NULL) != MPI_SUCCESS);
    }
    for (int i = 0; i < 3; i++) {
        char out[N] = {0};
        int e = MPI_File_open(MPI_COMM_WORLD, "files-out.dat", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
        CHECK(e == MPI_SUCCESS);
        MPI_File_write_at_all(f, N * rank, out, N, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_close(&f);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0 && i < 2) unlink("files-out.dat");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) {
        int e = MPI_File_open(MPI_COMM_SELF, "files-out.dat", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
        CHECK(e != MPI_SUCCESS);
        MPI_File_delete("files-out.dat", MPI_INFO_NULL);
    }
    for (int i = 0; i < 3 + rank; i++) {
        char name[64];
        snprintf(name, sizeof name, "files-%d-%d.dat", rank, i);
        make(name, N + i);
        sum += read_all(MPI_COMM_SELF, name, 0, N);
        MPI_File_delete(name, MPI_INFO_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) unlink("files-in.dat");
    return finish("files", (double)sum);
}
