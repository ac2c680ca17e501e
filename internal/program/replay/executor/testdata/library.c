/* A library for tests of the executor: every function says how it was called. With the binary interface of Open MPI, or of
 * MPICH with -DMPICH. One process; messages come from whoever is named (from 5 if from anybody, with tag 50). What it does on purpose:
 *   destination 99     MPI_Send returns error 6
 *   source 98          MPI_Recv does not return
 *   COMPLETE=2,0,1     the order in which requests (by number) complete
 *   SLOW=N             a poll of a request is successful the Nth time */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef MPICH
typedef int handle;
typedef struct { int count_lo, count_hi_and_cancelled, source, tag, error; } status;
#define STATUS_IGNORE ((status *)1)
#define ANY (-2)
enum { COMM = 0x84000000, TYPE = 0x8c000000, OP = 0x98000000, REQUEST = 0xac000000, INFO = 0x9c000000, ERRHANDLER = 0x94000000, WIN = 0xa0000000, MESSAGE = 0xac100000, GROUP = 0x88000000 };
static handle made(int class, int n) { return class + n; }
static int number(handle h) { return h & 0xff; }
#define REQUEST_NULL 0x2c000000
#define MESSAGE_NULL 0x2c000000
#define COMM_WORLD 0x44000000
#define FATAL 0x54000000
#define GROUP_NULL 0x08000000
#define COMM_NULL 0x04000000
#else
struct object { char name[16]; int number; };
typedef struct object *handle;
typedef struct { int source, tag, error, cancelled; size_t bytes; } status;
#define STATUS_IGNORE ((status *)0)
#define ANY (-1)
struct object ompi_mpi_comm_world = {"world", 0}, ompi_mpi_comm_self = {"self", 0}, ompi_mpi_comm_null = {"comm_null", 0}, ompi_mpi_int = {"int", 0},
    ompi_mpi_byte = {"byte", 0}, ompi_request_null = {"request_null", 0}, ompi_mpi_errors_are_fatal = {"fatal", 0}, ompi_mpi_info_null = {"info_null", 0},
    ompi_message_null = {"message_null", 0}, ompi_mpi_group_null = {"group_null", 0};
enum { COMM, TYPE, OP, REQUEST, INFO, ERRHANDLER, WIN, MESSAGE, GROUP, CLASSES };
static handle made(int class, int n)
{
    static const char *const names[CLASSES] = {"comm", "type", "op", "request", "info", "errhandler", "win", "message", "group"};
    static struct object objects[CLASSES][64];
    struct object *o = &objects[class][n % 64];
    snprintf(o->name, sizeof o->name, "%s%d", names[class], n);
    o->number = n;
    return o;
}
static int number(handle h) { return h->number; }
#define REQUEST_NULL (&ompi_request_null)
#define MESSAGE_NULL (&ompi_message_null)
#define COMM_WORLD (&ompi_mpi_comm_world)
#define COMM_NULL (&ompi_mpi_comm_null)
#define FATAL (&ompi_mpi_errors_are_fatal)
#define GROUP_NULL (&ompi_mpi_group_null)
#endif
enum { UNDEFINED = -32766 };

static const char *show(handle h)
{
#ifdef MPICH
    static __thread char text[8][32];
    static __thread unsigned at;
    static const struct { int class; const char *name; } names[] = {{COMM, "comm"}, {TYPE, "type"}, {OP, "op"}, {REQUEST, "request"},
        {INFO, "info"}, {ERRHANDLER, "errhandler"}, {WIN, "win"}, {MESSAGE, "message"},
        {GROUP, "group"}};
    static const struct { int value; const char *name; } fixed[] = {{COMM_WORLD, "world"}, {0x44000001, "self"}, {COMM_NULL, "comm_null"}, {0x4c000405, "int"},
        {0x4c00010d, "byte"}, {REQUEST_NULL, "request_null"}, {FATAL, "fatal"}, {GROUP_NULL, "group_null"}, {0x1c000000, "info_null"}};
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i].value == h) return fixed[i].name;
    char *s = text[at++ % 8];
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (((unsigned)h & 0xffffff00u) == (unsigned)names[i].class) return snprintf(s, 32, "%s%d", names[i].name, h & 0xff), s;
    return snprintf(s, 32, "%#x", (unsigned)h), s;
#else
    return h ? h->name : "0";
#endif
}

static void say(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    line[n++] = '\n';
    if (write(1, line, (size_t)n) != n) _exit(99);
}

static int setting(const char *name, int otherwise)
{
    const char *v = getenv(name);
    return v ? atoi(v) : otherwise;
}

#define F(name, ...) int MPI_##name(__VA_ARGS__) __attribute__((weak, alias("PMPI_" #name))); int PMPI_##name(__VA_ARGS__); int PMPI_##name(__VA_ARGS__)
typedef void *pointer;

F(Init, int *argc, char ***argv) { say("Init %d %s", *argc, argv && *argv ? (*argv)[0] : "-"); return 0; }
F(Init_thread, int *argc, char ***argv, int required, int *provided)
{
    (void)argc, (void)argv;
    say("Init_thread %d", required);
    *provided = required;
    return 0;
}
F(Finalize, void) { say("Finalize"); return 0; }
F(Comm_rank, handle comm, int *rank) { (void)comm; *rank = setting("RANK", 0); return 0; }
F(Comm_size, handle comm, int *size) { (void)comm; *size = 4; return 0; }
F(Error_string, int code, char *text, int *n) { *n = sprintf(text, "error %d of the library", code); return 0; }

static handle handler;
F(Comm_create_errhandler, pointer f, handle *h) { (void)f; *h = made(ERRHANDLER, 1); return 0; }
F(Comm_set_errhandler, handle comm, handle h) { (void)comm; handler = h; return 0; }
F(Comm_get_errhandler, handle comm, handle *h) { *h = handler; say("Comm_get_errhandler %s", show(comm)); return 0; }
F(Errhandler_free, handle *h) { say("Errhandler_free %s", show(*h)); return 0; }

F(Barrier, handle comm) { say("Barrier %s", show(comm)); return 0; }
F(Comm_dup, handle comm, handle *to)
{
    static int n;
    *to = made(COMM, ++n);
    usleep(5000); /* the handle is there before the call is over */
    say("Comm_dup %s -> %s", show(comm), show(*to));
    return 0;
}
F(Comm_free, handle *comm) { say("Comm_free %s", show(*comm)); *comm = COMM_NULL; return 0; }

F(Comm_group, handle comm, handle *to)
{
    static int n;
    *to = made(GROUP, ++n);
    say("Comm_group %s -> %s", show(comm), show(*to));
    return 0;
}
F(Group_free, handle *group) { say("Group_free %s", show(*group)); *group = GROUP_NULL; return 0; }
F(Type_get_contents, handle type, int ints, int addresses, int types, pointer a, pointer b, handle *list)
{
    (void)type, (void)ints, (void)addresses, (void)a, (void)b;
    say("Type_get_contents %d", types);
    for (int i = 0; i < types; i++) list[i] = made(TYPE, 3 + i);
    return 0;
}

F(Send, pointer buf, int count, handle type, int dest, int tag, handle comm)
{
    say("Send %p %d %s %d %d %s", buf, count, show(type), dest, tag, show(comm));
    return dest == 99 ? 6 : 0;
}
static void arrived(status *s, int source, int tag)
{
    if (s == STATUS_IGNORE) return;
    s->source = source == ANY ? 5 : source;
    s->tag = tag == -1 ? 50 : tag;
}
F(Recv, pointer buf, int count, handle type, int source, int tag, handle comm, status *s)
{
    say("Recv %p %d %s %d %d %s", buf, count, show(type), source, tag, show(comm));
    while (source == 98) pause();
    arrived(s, source, tag);
    return 0;
}
F(Probe, int source, int tag, handle comm, status *s) { say("Probe %d %d %s", source, tag, show(comm)); arrived(s, source, tag); return 0; }
F(Iprobe, int source, int tag, handle comm, int *flag, status *s)
{
    static int n;
    *flag = ++n >= setting("SLOW", 1);
    say("Iprobe %d %d %s -> %d", source, tag, show(comm), *flag);
    arrived(s, source, tag);
    return 0;
}

/* Requests by number, in the order of their creation. */
static int complete_order[64], completed[64], made_requests;
static const int *last_counts[64];
static int new_request(handle *r)
{
    *r = made(REQUEST, made_requests);
    return made_requests++;
}
F(Irecv, pointer buf, int count, handle type, int source, int tag, handle comm, handle *r)
{
    new_request(r);
    say("Irecv %p %d %s %d %d %s -> %s", buf, count, show(type), source, tag, show(comm), show(*r));
    return 0;
}
F(Ialltoallv, pointer out, const int *counts, const int *displs, handle type, pointer in, const int *incounts, const int *indispls, handle intype,
  handle comm, handle *r)
{
    (void)out, (void)displs, (void)type, (void)in, (void)incounts, (void)indispls, (void)intype, (void)comm;
    last_counts[new_request(r) % 64] = counts;
    say("Ialltoallv %d %d", counts[0], counts[1]);
    return 0;
}
F(Start, handle *r) { say("Start %s", show(*r)); return 0; }
F(Startall, int n, handle *list) { say("Startall %d %s", n, show(list[0])); return 0; }
/* Which of the requests is next to complete; -1: they are all null. */
static int next_of(int n, const handle *list)
{
    const char *order = getenv("COMPLETE");
    int best = -1, rank = 1 << 30;
    for (int i = 0; i < 64; i++) complete_order[i] = i;
    for (int k = 0; order && *order; k++) {
        complete_order[atoi(order) & 63] = k;
        order = strchr(order, ',');
        if (order) order++;
    }
    for (int i = 0; i < n; i++)
        if (list[i] != REQUEST_NULL && complete_order[number(list[i]) & 63] < rank) best = i, rank = complete_order[number(list[i]) & 63];
    return best;
}
static void complete(handle *r, status *s)
{
    if (*r != REQUEST_NULL) completed[number(*r) & 63] = 1;
    arrived(s, *r == REQUEST_NULL ? ANY : 10 + number(*r), 1);
    *r = REQUEST_NULL;
}
F(Wait, handle *r, status *s)
{
    const int *counts = *r == REQUEST_NULL ? NULL : last_counts[number(*r) & 63];
    if (counts) say("Wait %s counts %d %d", show(*r), counts[0], counts[1]);
    else say("Wait %s", show(*r));
    complete(r, s);
    return 0;
}
F(Waitall, int n, handle *list, status *s)
{
    char text[512];
    int at = 0;
    for (int i = 0; i < n; i++) at += snprintf(text + at, sizeof text - (size_t)at, " %s", show(list[i]));
    say("Waitall%s", text);
    for (int i = 0; i < n; i++) complete(&list[i], s == STATUS_IGNORE ? s : &s[i]);
    return 0;
}
F(Waitany, int n, handle *list, int *index, status *s)
{
    int i = next_of(n, list);
    *index = i < 0 ? UNDEFINED : i;
    say("Waitany -> %d", *index);
    if (i >= 0) complete(&list[i], s);
    return 0;
}
F(Testany, int n, handle *list, int *index, int *flag, status *s)
{
    *flag = 1;
    say("Testany");
    int i = next_of(n, list);
    *index = i < 0 ? UNDEFINED : i;
    if (i >= 0) complete(&list[i], s);
    return 0;
}
F(Testsome, int n, handle *list, int *count, int *indices, status *s)
{
    int i = next_of(n, list);
    *count = i < 0 ? UNDEFINED : 1;
    say("Testsome -> %d %d", *count, i);
    if (i >= 0) indices[0] = i, complete(&list[i], s);
    return 0;
}
F(Waitsome, int n, handle *list, int *count, int *indices, status *s)
{
    int i = next_of(n, list);
    *count = i < 0 ? UNDEFINED : 1;
    say("Waitsome -> %d %d", *count, i);
    if (i >= 0) indices[0] = i, complete(&list[i], s);
    return 0;
}
F(Test, handle *r, int *flag, status *s)
{
    static int n;
    *flag = ++n >= setting("SLOW", 1);
    say("Test %s -> %d", show(*r), *flag);
    if (*flag) complete(r, s);
    return 0;
}

F(Alloc_mem, long bytes, handle info, pointer base) { (void)info; *(void **)base = malloc((size_t)bytes); say("Alloc_mem %p", *(void **)base); return 0; }
F(Free_mem, pointer base) { say("Free_mem %p", base); free(base); return 0; }
F(Type_create_struct, int n, const int *lengths, const long *displs, const handle *types, handle *to)
{
    *to = made(TYPE, 7);
    say("Type_create_struct %d: %d %#lx %s, %d %#lx %s", n, lengths[0], displs[0], show(types[0]), lengths[1], displs[1], show(types[1]));
    return 0;
}
F(Dims_create, int n, int ndims, int *dims) { say("Dims_create %d %d: %d %d", n, ndims, dims[0], dims[1]); dims[0] = 3, dims[1] = 4; return 0; }
F(Get_count, const status *s, handle type, int *count) { (void)count; say("Get_count %d %d %s", s->source, s->tag, show(type)); return 0; }
typedef void operation(void *, void *, int *, handle *);
F(Op_create, operation *f, int commute, handle *op)
{
    int in = 1, out = 2, n = 1;
    f(&in, &out, &n, NULL);
    *op = made(OP, 1);
    say("Op_create %d: %d", commute, out);
    return 0;
}
typedef int copier(handle, int, void *, void *, void *, int *);
F(Comm_create_keyval, copier *copy, pointer free, int *keyval, pointer extra)
{
    void *value = NULL;
    int flag = -1;
    copy(COMM_WORLD, 1, extra, &flag, &value, &flag);
    *keyval = 77;
    say("Comm_create_keyval %d %d %d", flag, value == &flag, free != NULL);
    return 0;
}
F(Comm_free_keyval, int *keyval) { say("Comm_free_keyval %d", *keyval); *keyval = -1; return 0; }
F(Comm_set_attr, handle comm, int keyval, pointer value) { say("Comm_set_attr %s %d %p", show(comm), keyval, value); return 0; }
F(File_open, handle comm, const char *name, int mode, handle info, void **file)
{
    (void)info;
    say("File_open %s %s %d %d", show(comm), name, mode, access(name, R_OK) == 0);
    *file = &completed;
    return 0;
}
F(Info_set, handle info, const char *key, const char *value) { say("Info_set %s %s %s", show(info), key, value); return 0; }
F(Comm_spawn_multiple, int n, char **commands, char ***argvs, const int *procs, const handle *infos, int root, handle comm, handle *inter, int *codes)
{
    say("Comm_spawn_multiple %d %s %s %s, %s %s %s, %d %d %s %s %d %s %d", n, commands[0], argvs[0][0], argvs[0][1] ? "more" : "end", commands[1],
        argvs[1][0], argvs[1][1], procs[0], procs[1], show(infos[0]), show(infos[1]), root, show(comm), codes[1]);
    *inter = made(COMM, 20);
    return 0;
}
F(Win_create_dynamic, handle a, handle b, handle *c)
{
    say("Win_create_dynamic %s %s", show(a), show(b));
    *c = made(WIN, 3);
    return 0;
}
F(Win_attach, handle a, pointer b, long c)
{
    memset(b, 1, 64); /* it is there */
    memset((char *)b + c - 64, 1, 64);
    say("Win_attach %s %p", show(a), b);
    return 0;
}
F(Fetch_and_op, pointer a, pointer b, handle c, int d, long e, handle f, handle g)
{
    say("Fetch_and_op %p %p %s %d %#lx %s %s", a, b, show(c), d, e, show(f), show(g));
    return 0;
}
F(Rget_accumulate, pointer a, int b, handle c, pointer d, int e, handle f, int g, long h, int i, handle j, handle k, handle l, handle *m)
{
    say("Rget_accumulate %p %d %s %p %d %s %d %ld %d %s %s %s", a, b, show(c), d, e, show(f), g, h, i, show(j), show(k), show(l));
    new_request(m);
    return 0;
}
