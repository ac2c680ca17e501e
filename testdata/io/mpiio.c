/* MPI-IO beside POSIX I/O, in a process of its own: what MPI does below its calls is not recorded a second time. */
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char block[5000], back[5000];
    MPI_File f;
    MPI_Init(&argc, &argv);
    memset(block, 7, sizeof block);
    MPI_File_open(MPI_COMM_WORLD, "mpi.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    for (int i = 0; i < 10; i++) MPI_File_write_at(f, 8192 * i, block, 1000 + i, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; i++) MPI_File_read_at(f, 8192 * i, back, 500, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    int fd = open("posix.dat", O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 10; i++)
        if (pwrite(fd, block, 3000, 4096 * i) != 3000) return 1;
    close(fd);
    MPI_Finalize();
    return memcmp(block, back, 500) != 0;
}
