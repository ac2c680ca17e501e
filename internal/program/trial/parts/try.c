/* Runs operations as a program makes them of messages, and by the library's collective, one after the other:
 * try PLAN ROUNDS. Rank 0 prints, for each operation and round, how long both took: "OPERATION MADE LIBRARY", seconds.
 *
 * The plan: for each operation a line "operation NAME ROOT BLOCK COMBINE SEND RECEIVE" with the bytes of a block, whether
 * what is received is added up, and the room for messages that are sent and received; a line
 * "set RANK..." for each set; lines "at PLACE WHAT PEER TAG BYTES" with the calls of each place of a set in their order:
 * b (send), y (synchronous send), s (nonblocking send), r (nonblocking receive), w and v (wait for the send, or the
 * receive, of the tag), g (compute for BYTES nanoseconds); "end". A block of -1 bytes: each has parts of its own size, and
 * the messages are these parts. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step { char what; int peer, tag, bytes; MPI_Request request; };
static struct step *steps;
static int n_steps, room_steps, rank, size, place, members, n_requests;
static char *out, *in;

/* Of parts that have a size each: to whom, how much, and where it lies; and from whom. */
struct parts { int n, *peer, *bytes, *at; size_t all; };
static struct parts to, from;

static void *room(void *old, size_t bytes)
{
    void *p = realloc(old, bytes + 64);
    if (!p) fprintf(stderr, "no memory\n"), MPI_Abort(MPI_COMM_WORLD, 1);
    memset(p, 0, bytes + 64);
    return p;
}

static void compute(int nanoseconds)
{
    for (double until = MPI_Wtime() + nanoseconds * 1e-9; MPI_Wtime() < until;) {}
}

static struct step *of_tag(int tag, char what)
{
    for (int i = 0; i < n_steps; i++)
        if (steps[i].tag == tag && steps[i].what == what) return &steps[i];
    return NULL;
}

static void made(MPI_Comm comm, int combine)
{
    double *sum = (double *)out, *part = (double *)in;
    for (int i = 0; i < n_steps; i++) {
        struct step *s = &steps[i], *w;
        switch (s->what) {
        case 'b': MPI_Send(out, s->bytes, MPI_BYTE, s->peer, s->tag, comm); break;
        case 'y': MPI_Ssend(out, s->bytes, MPI_BYTE, s->peer, s->tag, comm); break;
        case 's': MPI_Isend(out, s->bytes, MPI_BYTE, s->peer, s->tag, comm, &s->request); break;
        case 'r': MPI_Irecv(in, s->bytes, MPI_BYTE, s->peer, s->tag, comm, &s->request); break;
        case 'g': compute(s->bytes); break;
        case 'w':
            if ((w = of_tag(s->tag, 's'))) MPI_Wait(&w->request, MPI_STATUS_IGNORE);
            break;
        case 'v':
            if ((w = of_tag(s->tag, 'r'))) MPI_Wait(&w->request, MPI_STATUS_IGNORE);
            for (int k = 0; combine && k < s->bytes / 8; k++) sum[k] += part[k];
        }
    }
}

static void library_parts(const char *name, MPI_Comm comm, int root)
{
    if (!strcmp(name, "scatter"))
        MPI_Scatterv(out, to.bytes, to.at, MPI_BYTE, in, from.bytes[root], MPI_BYTE, root, comm);
    if (!strcmp(name, "gather"))
        MPI_Gatherv(out, to.bytes[root], MPI_BYTE, in, from.bytes, from.at, MPI_BYTE, root, comm);
    if (!strcmp(name, "all-to-all"))
        MPI_Alltoallv(out, to.bytes, to.at, MPI_BYTE, in, from.bytes, from.at, MPI_BYTE, comm);
    if (!strcmp(name, "neighbors"))
        MPI_Neighbor_alltoallv(out, to.bytes, to.at, MPI_BYTE, in, from.bytes, from.at, MPI_BYTE, comm);
}

static void library(const char *name, MPI_Comm comm, int root, int block)
{
    if (block < 0) {
        library_parts(name, comm, root);
        return;
    }
    int doubles = block / 8, share = doubles / members;
    if (!strcmp(name, "broadcast")) MPI_Bcast(out, block, MPI_BYTE, root, comm);
    if (!strcmp(name, "scatter")) MPI_Scatter(out, block, MPI_BYTE, in, block, MPI_BYTE, root, comm);
    if (!strcmp(name, "gather")) MPI_Gather(out, block, MPI_BYTE, in, block, MPI_BYTE, root, comm);
    if (!strcmp(name, "allgather")) MPI_Allgather(out, block, MPI_BYTE, in, block, MPI_BYTE, comm);
    if (!strcmp(name, "all-to-all")) MPI_Alltoall(out, block, MPI_BYTE, in, block, MPI_BYTE, comm);
    if (!strcmp(name, "reduce")) MPI_Reduce(out, in, doubles, MPI_DOUBLE, MPI_SUM, root, comm);
    if (!strcmp(name, "allreduce")) MPI_Allreduce(out, in, doubles, MPI_DOUBLE, MPI_SUM, comm);
    if (!strcmp(name, "reduce-scatter")) MPI_Reduce_scatter_block(out, in, share, MPI_DOUBLE, MPI_SUM, comm);
    if (!strcmp(name, "scan")) MPI_Scan(out, in, doubles, MPI_DOUBLE, MPI_SUM, comm);
    if (!strcmp(name, "exscan")) MPI_Exscan(out, in, doubles, MPI_DOUBLE, MPI_SUM, comm);
    if (!strcmp(name, "barrier")) MPI_Barrier(comm);
}

/* The first step that a collective comes before: it has to have all that is received, and who receives nothing gives
 * first. */
static int last_needed(void)
{
    for (int i = n_steps; i > 0; i--)
        if (steps[i - 1].what == 'v') return i;
    for (int i = 0; i < n_steps; i++)
        if (strchr("bys", steps[i].what)) return i;
    return 0;
}

static void replaced(const char *name, MPI_Comm comm, int root, int block)
{
    int before = last_needed();
    for (int i = 0; i <= n_steps; i++) {
        if (i == before) library(name, comm, root, block);
        if (i < n_steps && steps[i].what == 'g') compute(steps[i].bytes);
    }
}

static double timed(const char *name, int by_library, MPI_Comm comm, int root, int block, int combine)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double took = -MPI_Wtime(), longest;
    if (comm != MPI_COMM_NULL && by_library) replaced(name, comm, root, block);
    if (comm != MPI_COMM_NULL && !by_library) made(comm, combine);
    took += MPI_Wtime();
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return longest;
}

/* By peer; with a graph, of those that there are messages with. */
static void collect(struct parts *p, const char *what, int graph)
{
    size_t bytes = (size_t)members * sizeof(int);
    p->peer = room(p->peer, bytes), p->bytes = room(p->bytes, bytes), p->at = room(p->at, bytes);
    p->n = 0, p->all = 0;
    for (int k = 0; k < members; k++) {
        int sum = 0, any = 0;
        for (int i = 0; i < n_steps; i++)
            if (steps[i].peer == k && strchr(what, steps[i].what)) sum += steps[i].bytes, any = 1;
        if (graph && !any) continue;
        p->peer[p->n] = k, p->bytes[p->n] = sum, p->at[p->n++] = (int)p->all;
        p->all += (size_t)sum;
    }
}

static MPI_Comm with_parts(MPI_Comm comm, const char *name)
{
    int is_graph = !strcmp(name, "neighbors");
    MPI_Comm graph;
    collect(&to, "bys", is_graph);
    collect(&from, "r", is_graph);
    if (!is_graph) return comm;
    MPI_Dist_graph_create_adjacent(comm, from.n, from.peer, from.bytes, to.n, to.peer, to.bytes, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_free(&comm);
    return graph;
}

static void measure(int number, const char *name, int rounds, int root, int block, int combine, size_t sent, size_t got)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, members ? 1 + place / size : MPI_UNDEFINED, place % size, &comm);
    if (comm != MPI_COMM_NULL) {
        if (block < 0) comm = with_parts(comm, name);
        size_t all = (size_t)(block > 0 ? block : 0) * (size_t)members;
        size_t all_out = block < 0 ? to.all : all, all_in = block < 0 ? from.all : all;
        out = room(out, sent > all_out ? sent : all_out);
        in = room(in, got > all_in ? got : all_in);
    }
    for (int k = -2; k < rounds; k++) { /* the first two are warm-up */
        double t[2];
        for (int v = 0; v < 2; v++) /* in turn the one and the other first */
            t[(v + k) & 1] = timed(name, (v + k) & 1, comm, root, block, combine);
        if (rank == 0 && k >= 0) printf("%d %.9f %.9f\n", number, t[0], t[1]);
    }
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void set_line(char *list, int number)
{
    int at = 0, mine = -1;
    for (char *p = strtok(list, " \n"); p; p = strtok(NULL, " \n"), at++)
        if (atoi(p) == rank) mine = at;
    if (mine >= 0) place = number * size + mine, members = at;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    FILE *f = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (!f) fprintf(stderr, "cannot read the plan\n"), MPI_Abort(MPI_COMM_WORLD, 1);
    char *line = NULL, name[64] = "";
    size_t line_room = 0, sent = 0, got = 0;
    int number = 0, sets = 0, root = 0, block = 0, combine = 0, at;
    while (getline(&line, &line_room, f) > 0) {
        struct step s = {0, 0, 0, 0, MPI_REQUEST_NULL};
        if (sscanf(line, "operation %63s %d %d %d %zu %zu", name, &root, &block, &combine, &sent, &got) == 6)
            n_steps = members = sets = place = 0;
        else if (!strncmp(line, "set ", 4)) set_line(line + 4, sets++);
        else if (sscanf(line, "at %d %c %d %d %d", &at, &s.what, &s.peer, &s.tag, &s.bytes) == 5) {
            if (!members || place % size != at) continue;
            if (n_steps == room_steps) steps = realloc(steps, (size_t)(room_steps = 2 * room_steps + 64) * sizeof *steps);
            if (!steps) MPI_Abort(MPI_COMM_WORLD, 1);
            steps[n_steps++] = s;
        } else if (!strncmp(line, "end", 3)) measure(number++, name, atoi(argv[2]), root, block, combine, sent, got);
    }
    MPI_Finalize();
    return 0;
}
