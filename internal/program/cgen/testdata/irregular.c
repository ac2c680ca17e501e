/* A proxy application of Tabard: it makes the MPI calls of a recording, and nothing else.
 *
 *   recorded   ./irregular
 *   with       MPICH
 *   at         2023-11-14 22:13 UTC
 *   from       irregular.tabard
 *   compile    mpicc -O2 -o irregular irregular.c
 *   run        mpirun -n 2 ./irregular
 *   files      are made in the folder irregular.files of that given as argument, else of DIRECTORY
 *
 * What it does not do:
 *   MPI_Comm_size: a callback of the program made it, and callbacks are replaced
 *   MPI_Comm_free: the Comm that it uses was not created by a call that is made again
 */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef DIRECTORY
#define DIRECTORY "."
#endif
#define FILES "irregular.files" /* the program's own folder there */

static long rank = -1, size = 2; /* in MPI_COMM_WORLD */
static int argument_count;
static char **arguments;
static const char *directory = DIRECTORY;
static MPI_Op op[1];
static MPI_File file[1];
static MPI_Request request[3];
static MPI_Status status[1];
static int flag; /* of the last test */
static int which; /* what the last call completed */
static long double stack0_[1];
static char *const stack0 = (char *)stack0_;
static char *heap[2];

static char *memory(long bytes)
{
    char *at = calloc(1, bytes);
    if (!at) {
        fprintf(stderr, "There is no memory for %ld bytes.\n", bytes);
        exit(1);
    }
    return at;
}

/* Values that follow no rule, in a compact form: n > 0 values from a first one on with a step, or -n values as they
 * are; 0 ends the sequence, which then begins again. */
struct column { const long *code, *at; long left, value, step; };
static long next(struct column *c)
{
    if (c->left == 0) {
        if (!c->at || *c->at == 0) c->at = c->code;
        if (!c->at || *c->at == 0) return 0;
        c->left = *c->at++;
        if (c->left > 0) {
            c->step = *c->at++;
            c->value = *c->at++ - c->step;
        }
    }
    if (c->left > 0) {
        c->left--;
        return c->value += c->step;
    }
    c->left++;
    return *c->at++;
}

/* The requests with these numbers as an array, and back; -1 stands for none. */
static MPI_Request *gather(int n, const int number[])
{
    static MPI_Request *list;
    static int most;
    if (n > most) list = realloc(list, (most = 2 * n) * sizeof *list);
    for (int i = 0; i < n; i++) list[i] = number[i] < 0 ? MPI_REQUEST_NULL : request[number[i]];
    return list;
}
static void scatter(int n, const int number[], const MPI_Request list[])
{
    for (int i = 0; i < n; i++)
        if (number[i] >= 0) request[number[i]] = list[i];
}

/* In the recording request want of the list was done, now it is got: they swap places, so that the
 * numbers of requests stand for operations as in the recording. */
static void settle(MPI_Request list[], int want, int got)
{
    if (want < 0 || got < 0 || want == got) return;
    MPI_Request r = list[want];
    list[want] = list[got];
    list[got] = r;
}

/* Files are made in a folder of the program's own. */
static const char *scratch_file(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", directory, FILES, name);
    return path;
}

static void reduce(void *in, void *inout, int *n, MPI_Datatype *t) { (void)in, (void)inout, (void)n, (void)t; }

static const long count_table[] = {
    2, 2, 3, 0};
static const long tag_table[] = {
    1, 0, 7, 0};

static struct column count;
static struct column tag;

static void rank_0(void)
{
    MPI_File_open(MPI_COMM_SELF, scratch_file("results.dat"), (MPI_MODE_CREATE | MPI_MODE_WRONLY), MPI_INFO_NULL, &file[0]);
    MPI_Irecv(stack0, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(stack0 + 4, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request[2]);
    {
        int n = 2, *number = (int[]){0, 2};
        MPI_Request *list = gather(n, number);
        MPI_Waitany(2, list, &which, &status[0]);
        settle(list, 1, which);
        scatter(n, number, list);
    }
    MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
    do
        MPI_Test(&request[0], &flag, &status[0]);
    while (!flag);
    for (long i = 0; i < 2; i++) MPI_Send(heap[0], next(&count), MPI_INT, 1, next(&tag), MPI_COMM_WORLD);
    MPI_Alltoallv(heap[0], (int[]){1, 2}, (int[]){0, 1}, MPI_INT, heap[1], (int[]){1, 1}, (int[]){0, 1}, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Op_create(reduce, 1, &op[0]);
    MPI_Op_free(&op[0]);
    MPI_File_close(&file[0]);
    MPI_Finalize();
}

static void rank_1(void)
{
    MPI_Finalize();
}

/* What has to be there before the first call that uses it. */
static void start(void)
{
    for (int i = 0; i < 1; i++) op[i] = MPI_OP_NULL;
    for (int i = 0; i < 1; i++) file[i] = MPI_FILE_NULL;
    for (int i = 0; i < 3; i++) request[i] = MPI_REQUEST_NULL;
    heap[0] = memory(20);
    heap[1] = memory(8);
    if (rank == 0) count.code = count_table;
    if (rank == 0) tag.code = tag_table;
}

/* What an earlier run left is removed, and files that were there before are made, as large as they were; by one process of each
 * node, before MPI begins. In a folder of somebody else, links could lead to any file. */
static void start_files(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    static const struct { const char *name; long bytes; } files[] = {
        {"results.dat", -1},
    };
    char folder[4096];
    struct stat s;
    snprintf(folder, sizeof folder, "%s/%s", directory, FILES);
    mkdir(folder, 0755);
    if (lstat(folder, &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != geteuid() || s.st_mode & 022) {
        fprintf(stderr, "%s is no directory that only you can write to: remove it, or run the program somewhere else.\n",
                folder);
        exit(1);
    }
    for (int i = 0; i < 3; i++)
        if (getenv(names[i]) && atoi(getenv(names[i])) > 0) return;
    for (int i = 0; i < 1; i++) {
        FILE *f;
        remove(scratch_file(files[i].name));
        if (files[i].bytes < 0 || !(f = fopen(scratch_file(files[i].name), "wb"))) continue;
        if (files[i].bytes > 0 && fseek(f, files[i].bytes - 1, SEEK_SET) == 0) putc(0, f);
        fclose(f);
    }
}

/* The rank is what the launcher says, so that the program makes no calls but those of the recording. */
static void find_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    const char *s = getenv("OMPI_COMM_WORLD_SIZE");
    long ranks = size;
    if (!s) s = getenv("PMI_SIZE");
    if (s) ranks = atol(s);
    for (int i = 0; rank < 0 && i < 4; i++)
        if (getenv(names[i])) rank = atol(getenv(names[i]));
    if (rank < 0) {
        int r, n;
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        rank = r;
        ranks = n;
    }
    if (ranks != size) {
        if (rank == 0) fprintf(stderr, "This program needs %ld ranks, not %ld: mpirun -n %ld\n", size, ranks, size);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    if (argc > 1) directory = argv[1];
    start_files();
    MPI_Init(&argument_count, NULL);
    find_rank();
    start();
    if (rank == 0)
        rank_0();
    else
        rank_1();
    return 0;
}
