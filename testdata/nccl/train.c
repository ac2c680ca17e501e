/* Steps of a training loop, one rank for each process (RANK, WORLD_SIZE): train ID_FILE [WHAT], where WHAT is what rank 2
 * does in step 5: skip, other, count, root, sleep, exit. The first rank puts the number of the communicator into ID_FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "nccl.h"

enum { STEPS = 10, N = 64 };

static ncclUniqueId meet(const char *path, int rank)
{
    ncclUniqueId id;
    char part[4096];
    snprintf(part, sizeof part, "%s.part", path);
    if (rank == 0) {
        ncclGetUniqueId(&id);
        FILE *f = fopen(part, "w");
        fwrite(&id, sizeof id, 1, f);
        fclose(f);
        rename(part, path);
        return id;
    }
    FILE *f;
    while (!(f = fopen(path, "r"))) usleep(1000);
    if (fread(&id, sizeof id, 1, f) != 1) exit(9);
    fclose(f);
    return id;
}

int main(int argc, char **argv)
{
    int rank = atoi(getenv("RANK")), size = atoi(getenv("WORLD_SIZE")), n;
    static float a[N], b[N], g[64 * N];
    ncclComm_t world, half;
    if (ncclCommInitRank(&world, size, meet(argv[1], rank), rank) != 0) return 8;
    if (ncclCommCount(world, &n) != 0 || n != size) return 7;
    ncclCommSplit(world, rank % 2, rank, &half, NULL);
    for (int i = 0; i < STEPS; i++) {
        const char *what = rank == 2 && i == 5 && argc > 2 ? argv[2] : "";
        for (int k = 0; k < N; k++) a[k] = (float)(rank + k);
        ncclBroadcast(a, b, N, ncclFloat32, strcmp(what, "root") == 0, world, NULL);
        if (strcmp(what, "sleep") == 0) sleep(100);
        if (strcmp(what, "exit") == 0) _exit(3);
        if (strcmp(what, "other") == 0) ncclAllGather(a, g, N, ncclFloat32, world, NULL);
        else if (strcmp(what, "skip") != 0)
            ncclAllReduce(a, b, strcmp(what, "count") == 0 ? N / 2 : N, ncclFloat32, ncclSum, world, NULL);
        if (!*what && b[1] != size * (size - 1) / 2 + size && argc < 3) return 6;
        ncclReduceScatter(g, b, N / 2, ncclFloat32, ncclSum, half, NULL);
        ncclGroupStart();
        ncclSend(a, N, ncclFloat32, (rank + 1) % size, world, NULL);
        ncclRecv(b, N, ncclFloat32, (rank + size - 1) % size, world, NULL);
        ncclGroupEnd();
        if (b[0] != (rank + size - 1) % size) return 5;
    }
    ncclCommDestroy(half);
    ncclCommDestroy(world);
    return 0;
}
