/* Rank 0 receives from anybody, in every way, and ignores all statuses. Messages say who sent them, and with an
 * argument rank 0 writes to this file what it got: a line "source tag bytes" for each receive, or matched probe, with wildcards. */
#include "check.h"
enum { EACH = 6, MOST = 64, ROOM = 5, NAMED = 500 };

static FILE *truth;
static int in[MOST][ROOM];
static long sum;
static int got; /* in this phase */

static void took(const int *m)
{
    CHECK(m[0] > 0 && m[0] < size && m[2] >= 3 && m[2] <= ROOM);
    sum += m[0] * m[1];
    got++;
    if (truth) fprintf(truth, "%d %d %d\n", m[0], m[1], m[2] * (int)sizeof m[0]);
}

/* What the others send in a phase. */
static void work(int tag, int n, int step)
{
    for (int k = 0; k < n; k++) {
        int m[ROOM] = {rank, tag + k * step, 3 + (rank + k) % 3};
        for (volatile int spin = 0; spin < 20000 * ((rank * 7 + k * 3 + tag) % 5); spin++) {}
        MPI_Send(m, m[2], MPI_INT, 0, m[1], MPI_COMM_WORLD);
    }
}

static int total(void) { return (size - 1) * EACH; }

static void post(int tag, int n, MPI_Request *r)
{
    for (int i = 0; i < n; i++) MPI_Irecv(in[i], ROOM, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[i]);
}

static void blocking(int tag)
{
    while (got < total()) MPI_Recv(in[0], ROOM, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), took(in[0]);
    (void)tag;
}

static void exchange(int tag)
{
    while (got < total()) {
        int to = got % (size - 1) + 1, x = got;
        MPI_Sendrecv(&x, 1, MPI_INT, to, tag, in[0], ROOM, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        took(in[0]);
    }
}

static void one(int tag)
{
    MPI_Request r;
    while (got < total()) post(tag, 1, &r), MPI_Wait(&r, MPI_STATUS_IGNORE), took(in[0]);
}

/* Receives with and without wildcards, and a send. */
static void all(int tag)
{
    int n = size - 1, x = 1;
    MPI_Request r[2 * MOST + 1];
    for (int k = 0; k < EACH; k++) {
        post(tag, n, r);
        for (int w = 1; w < size; w++) MPI_Irecv(in[n + w], ROOM, MPI_INT, w, NAMED, MPI_COMM_WORLD, &r[n + w - 1]);
        MPI_Isend(&x, 1, MPI_INT, k % n + 1, tag, MPI_COMM_WORLD, &r[2 * n]);
        MPI_Waitall(2 * n + 1, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++) took(in[i]);
    }
}

static void any(int tag)
{
    MPI_Request r[MOST];
    int i;
    post(tag, total(), r);
    while (got < total()) MPI_Waitany(total(), r, &i, MPI_STATUS_IGNORE), took(in[i]);
    MPI_Waitany(total(), r, &i, MPI_STATUS_IGNORE); /* nothing is left */
    CHECK(i == MPI_UNDEFINED);
}

static void some(int tag)
{
    MPI_Request r[MOST];
    int index[MOST], n;
    post(tag, total(), r);
    while (got < total()) {
        MPI_Waitsome(total(), r, &n, index, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++) took(in[index[i]]);
    }
}

static void tests(int tag)
{
    MPI_Request r[MOST];
    int index[MOST], n = size - 1, flag, i;
    for (int k = 0; k < EACH; k++) {
        post(tag, n, r);
        switch (k % 4) {
        case 0:
            for (i = 0; i < n; i++) {
                do MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE);
                while (!flag);
                took(in[i]);
            }
            break;
        case 1:
            do MPI_Testall(n, r, &flag, MPI_STATUSES_IGNORE);
            while (!flag);
            for (i = 0; i < n; i++) took(in[i]);
            break;
        case 2:
            for (int left = n; left; left--) {
                do MPI_Testany(n, r, &i, &flag, MPI_STATUS_IGNORE);
                while (!flag);
                took(in[i]);
            }
            break;
        default:
            for (int left = n, some; left; left -= some) {
                MPI_Testsome(n, r, &some, index, MPI_STATUSES_IGNORE);
                for (i = 0; i < some; i++) took(in[index[i]]);
            }
        }
    }
}

static void probes(int tag)
{
    MPI_Message m;
    int flag;
    for (int k = 0; got < total(); k++) {
        switch (k % 3) {
        case 0:
            MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(in[0], ROOM, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* another one, perhaps */
            break;
        case 1:
            MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
            MPI_Mrecv(in[0], ROOM, MPI_INT, &m, MPI_STATUS_IGNORE);
            break;
        default:
            do MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE);
            while (!flag);
            MPI_Mrecv(in[0], ROOM, MPI_INT, &m, MPI_STATUS_IGNORE);
        }
        took(in[0]);
    }
}

/* A replay leaves persistent receives from several sources to the library. */
static void persistent(int tag)
{
    MPI_Request r[2];
    for (int i = 0; i < 2; i++) MPI_Recv_init(in[i], ROOM, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[i]);
    while (got < total()) {
        MPI_Startall(2, r);
        if (got % 4) {
            MPI_Wait(&r[0], MPI_STATUS_IGNORE), MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        } else {
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        }
        took(in[0]), took(in[1]);
    }
    for (int i = 0; i < 2; i++) MPI_Request_free(&r[i]);
}

/* More requests than a tracer notes one by one. */
static void flood(int tag)
{
    enum { MANY = 4000 };
    static int messages[MANY][ROOM];
    static MPI_Request r[MANY + 1];
    for (int i = 0; i < MANY; i++) MPI_Irecv(messages[i], ROOM, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int to = 1; to < size; to++) MPI_Send(&to, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
    MPI_Isend(&tag, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, &r[MANY]);
    MPI_Wait(&r[MANY], MPI_STATUS_IGNORE);
    MPI_Waitall(MANY + 1, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++) took(messages[i]), sum -= messages[i][0] * messages[i][1];
}

static void feed(int tag)
{
    int x;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < 4000; k++)
        if (k % (size - 1) + 1 == rank) MPI_Send((int[ROOM]){rank, tag, 3}, 3, MPI_INT, 0, tag, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void cancelled(int tag)
{
    MPI_Request r;
    post(tag, 1, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static void (*const phases[])(int) = {blocking, exchange, one, all, any, some, tests, probes, persistent};
    start(&argc, &argv);
    CHECK(size > 1 && (size - 1) * EACH <= MOST);
    if (rank == 0 && argc > 1) CHECK(truth = fopen(argv[1], "w"));
    for (int i = 0; i < 9; i++) {
        if (i == 8 && argc < 2) break;
        int tag = 10 * (i + 1), x;
        got = 0;
        if (rank == 0) {
            phases[i](tag);
        } else if (i == 1) {
            for (int k = 0; k < EACH; k++) work(tag, 1, 0), MPI_Recv(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (i == 3) {
            for (int k = 0; k < EACH; k++) {
                work(tag, 1, 0), work(NAMED, 1, 0);
                if (k % (size - 1) + 1 == rank) MPI_Recv(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        } else {
            work(tag, EACH, i == 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) cancelled(999);
    if (argc > 1 && rank == 0) flood(1000), MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank > 0) feed(1000);
    if (truth) fclose(truth);
    return finish("ignored", argc > 1 ? sum - 90 * (double)EACH * size * (size - 1) / 2 : sum);
}
