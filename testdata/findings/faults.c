/* A program with one planted fault, or none: faults KIND. It runs on 4 ranks. Lines with faults say which:
 * see internal/testkit/planted. Computation is sleep, so that it takes as long on a busy machine. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 40, SIZE = 1 << 18 };

static int me, np, left, right;
static const char *fault;
static double out[SIZE], in[SIZE];

static int is(const char *name) { return strcmp(fault, name) == 0; }
static int at(const char *name, int rank, int step, int now) { return is(name) && me == rank && step == now; }
static void work(double ms) { usleep((useconds_t)(1000 * ms)); }

static void exchange(int step, int count)
{
    MPI_Request q;
    int tag = 100 + step;
    MPI_Comm comm = MPI_COMM_WORLD;
    if (at("tag", 2, 12, step)) tag++;
    if (at("comm", 2, 12, step)) MPI_Comm_dup(MPI_COMM_SELF, &comm);
    if (at("peer", 2, 12, step)) { int t = right; right = left; left = t; }
    MPI_Isend(out, count, MPI_DOUBLE, comm == MPI_COMM_WORLD ? right : 0, tag, comm, &q); /* tag comm peer */
    MPI_Recv(in, SIZE, MPI_DOUBLE, left, 100 + step, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits */
    MPI_Wait(&q, MPI_STATUS_IGNORE);
}

static void circle(void)
{
    MPI_Ssend(out, 1, MPI_DOUBLE, right, 5, MPI_COMM_WORLD); /* circle */
    MPI_Recv(in, 1, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ranks send before they receive, more in each step. */
static void head_to_head(int step)
{
    int n = 8 << (step < 15 ? step : 15);
    if (is("unsafe")) {
        MPI_Send(out, n, MPI_DOUBLE, me ^ 1, 16, MPI_COMM_WORLD); /* unsafe */
        MPI_Recv(in, n, MPI_DOUBLE, me ^ 1, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (is("unsafe-mended"))
        MPI_Sendrecv(out, n, MPI_DOUBLE, me ^ 1, 16, in, n, MPI_DOUBLE, me ^ 1, 16, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void probe(void)
{
    MPI_Status s;
    MPI_Probe(left, 77, MPI_COMM_WORLD, &s); /* probe */
}

/* A worker that polls for its end with tag 7, while its master says 8. */
static void worker(void)
{
    int end = 0;
    if (me == 0) MPI_Send(out, 1, MPI_DOUBLE, 2, 8, MPI_COMM_WORLD);
    while (me == 2 && !end) {
        MPI_Iprobe(0, 7, MPI_COMM_WORLD, &end, MPI_STATUS_IGNORE); /* worker */
        work(1);
    }
}

static void truncated(void)
{
    if (is("error")) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (me == 0) MPI_Send(out, 8, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
    if (me == 1) MPI_Recv(in, 4, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* error fatal */
}

static void leaks(int step)
{
    if (is("comm-leak") || is("leak-step")) {
        MPI_Comm d;
        MPI_Comm_dup(MPI_COMM_WORLD, &d); /* comm-leak */
    }
    if (is("type-leak")) {
        MPI_Datatype t;
        MPI_Type_contiguous(3, MPI_INT, &t); /* type-leak */
        MPI_Type_commit(&t);
    }
    if (is("window-leak") && step % 2 == 0) {
        MPI_Win w;
        MPI_Win_create(out, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w); /* window-leak */
    }
    if (is("persistent-leak") || is("persistent-freed")) {
        MPI_Request q[2];
        MPI_Send_init(out, 1, MPI_DOUBLE, right, 45, MPI_COMM_WORLD, &q[0]); /* persistent-leak */
        MPI_Recv_init(in, 1, MPI_DOUBLE, left, 45, MPI_COMM_WORLD, &q[1]);
        MPI_Startall(2, q);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        for (int i = is("persistent-leak") ? 1 : 0; i < 2; i++) MPI_Request_free(&q[i]);
    }
    if (is("request-leak") && me == 1) {
        MPI_Request q;
        MPI_Issend(out, 1, MPI_DOUBLE, 0, 42, MPI_COMM_WORLD, &q); /* request-leak */
    }
    if (is("request-leak") && me == 0) MPI_Recv(in, 1, MPI_DOUBLE, 1, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("lost-request") && me == 1) {
        MPI_Request q;
        MPI_Isend(out, 1, MPI_DOUBLE, 0, 44, MPI_COMM_WORLD, &q); /* lost-request */
    }
    if (is("lost-request") && me == 0) MPI_Recv(in, 1, MPI_DOUBLE, 1, 44, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("unreceived") && me == 3) MPI_Send(out, 1, MPI_DOUBLE, 0, 43, MPI_COMM_WORLD); /* unreceived */
}

/* A master that receives from all in the order of their ranks, and the first one comes last. */
static void gather(void)
{
    if (me > 0) {
        work(me == 1 ? 9 : 1);
        MPI_Send(out, 1, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < np; i++) {
        MPI_Recv(in, 1, MPI_DOUBLE, is("order") ? i : MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* order */
        work(1.5);
    }
}

/* Each rank works when the one before it has. */
static void token(void)
{
    if (me > 0 && is("serial")) MPI_Recv(in, 1, MPI_DOUBLE, me - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* serial */
    work(3);
    if (me < np - 1 && is("serial")) MPI_Send(out, 1, MPI_DOUBLE, me + 1, 9, MPI_COMM_WORLD);
}

/* Each frame goes from rank to rank, and an answer back: at once, or when the answer of the next rank has come. */
static void frames(void)
{
    int last = me == np - 1, mended = is("answer-mended");
    for (int i = 0; i < 12; i++) {
        if (me > 0) MPI_Recv(in, 1, MPI_DOUBLE, me - 1, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(1);
        if (me > 0 && mended) MPI_Send(out, 1, MPI_DOUBLE, me - 1, 18, MPI_COMM_WORLD);
        if (!last) MPI_Send(out, 1, MPI_DOUBLE, me + 1, 17, MPI_COMM_WORLD);
        if (!last && !mended) MPI_Recv(in, 1, MPI_DOUBLE, me + 1, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (me > 0 && !mended) MPI_Send(out, 1, MPI_DOUBLE, me - 1, 18, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 12 && !last && mended; i++)
        MPI_Recv(in, 1, MPI_DOUBLE, me + 1, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_receiver(void)
{
    if (me % 2 == 0) MPI_Ssend(out, 1, MPI_DOUBLE, me + 1, 10, MPI_COMM_WORLD); /* waits for receiver */
    else {
        work(4);
        MPI_Recv(in, 1, MPI_DOUBLE, me - 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* receiver */
    }
}

/* Parts of a step, of which now one rank has a long one and now another. */
static void parts(void)
{
    for (int i = 0; i < 8; i++) {
        work((i + me) % 4 == 0 ? 5 : 1);
        if (is("barrier")) MPI_Barrier(MPI_COMM_WORLD); /* barrier */
    }
}

/* A sum over all ranks, element by element or at once. */
static void elements(void)
{
    enum { COUNT = 1000 };
    if (is("elements-mended")) MPI_Allreduce(out, in, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; is("elements") && i < COUNT; i++)
        MPI_Allreduce(out + i, in + i, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* elements */
}

/* Of each pair one rank computes first, and the other one when the messages are on their way. */
static void ahead(int step)
{
    MPI_Request q[2];
    int first = (me + step) % 2, other = me ^ 1;
    work(first ? 1 : 8);
    MPI_Irecv(in, 64, MPI_DOUBLE, other, 12, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(out, 64, MPI_DOUBLE, other, 12, MPI_COMM_WORLD, &q[1]);
    if (is("early-wait")) MPI_Waitall(2, q, MPI_STATUSES_IGNORE); /* early-wait */
    work(first ? 8 : 1);
    if (!is("early-wait")) MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
}

/* Rank 1 sends thousands of numbers one by one, and rank 0 comes to them later. */
static void flood(void)
{
    int n = is("flood") ? 5000 : 1;
    for (int i = 0; me == 1 && i < n; i++) MPI_Send(out, 1, MPI_DOUBLE, 0, 13, MPI_COMM_WORLD); /* flood */
    if (me == 0) work(is("flood") ? 200 : 2);
    for (int i = 0; me == 0 && i < n; i++) MPI_Recv(in, 1, MPI_DOUBLE, 1, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* No fault: rank 0 gives work to whoever asks. */
static void serve(void)
{
    int task = 0, left = 60 * (np - 1), done = 0;
    while (me == 0 && done < np - 1) {
        MPI_Status s;
        MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 14, MPI_COMM_WORLD, &s);
        task = left > 0 ? left-- : 0;
        if (task == 0) done++;
        MPI_Send(&task, 1, MPI_INT, s.MPI_SOURCE, 15, MPI_COMM_WORLD);
    }
    while (me > 0) {
        MPI_Send(&task, 1, MPI_INT, 0, 14, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (task == 0) break;
        work(2 + task % 4);
    }
}

static void sum(int step)
{
    double x = 1, y;
    if (at("missing", 1, 15, step)) return;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* missing crash */
}

static void broadcast(int step)
{
    if (is("root") && me == 0) work(6);
    MPI_Bcast(in, 1, MPI_DOUBLE, at("other-root", 2, 20, step) ? 1 : 0, MPI_COMM_WORLD); /* root other-root */
}

static void compute(int step)
{
    double ms = 2;
    if ((is("slow") || (is("later") && step >= 15)) && me == 2) ms = 8;
    if (is("spikes") && me == 3 && step % 13 == 5) ms = 150;
    if ((is("step") || is("leak-step")) && step == 25) ms = 300;
    if (is("slower")) ms = 1 + .25 * step;
    if (is("slower-mended")) ms = 1 + .25 * 5;
    work(ms);
    if (at("crash", 2, 7, step)) raise(SIGSEGV);
    if (at("abort", 1, 9, step)) MPI_Abort(MPI_COMM_WORLD, 4); /* abort */
    if (at("exit", 3, 9, step)) _exit(3);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fault = argc > 1 ? argv[1] : "none";
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    right = (me + 1) % np;
    left = (me + np - 1) % np;
    if (argc > 2) alarm(atoi(argv[2])); /* it hangs */
    if (is("server")) serve();
    for (int i = 0; i < STEPS && !is("server"); i++) {
        compute(i);
        if (is("order") || is("order-mended")) gather();
        else if (is("serial") || is("serial-mended")) token();
        else if (is("answer") || is("answer-mended")) frames();
        else if (is("receiver")) late_receiver();
        else if (is("barrier") || is("barrier-mended")) parts();
        else if (is("early-wait") || is("early-wait-mended")) ahead(i);
        else exchange(i, is("growth") && me == 2 && i >= 24 ? SIZE : 64);
        if (is("circle") && i == 10) circle();
        elements();
        head_to_head(i);
        if ((is("flood") || is("flood-mended")) && i == 10) flood();
        if (is("probe") && i == 10 && me == 0) probe();
        if ((is("error") || is("fatal")) && i == 20) truncated();
        if (is("worker") && i == 10) worker();
        leaks(i);
        broadcast(i);
        sum(i);
    }
    if (me == 0) printf("done\n");
    MPI_Finalize();
    return 0;
}
