/* A fake MPI library of one process. Messages arrive from whoever is named; the
 * rank and size are FAKEMPI_RANK and FAKEMPI_SIZE. Special values make it do
 * what real libraries do now and then:
 *   tag -7           MPI_Send calls MPI_Comm_rank of its own accord
 *   tag -6           MPI_Send calls MPI_Barrier, and once more by a jump out of a function
 *                    that it calls through a pointer
 *   tag -9           MPI_Send ends the process by SIGKILL
 *   user operation   called by MPI_Allreduce, in the program's code
 *   rank >= size     MPI_ERR_RANK
 *   Waitall, count 3 MPI_ERR_IN_STATUS, error MPI_ERR_RANK in the second status */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "mpi.h"

#define EXPORT(result, name, parameters) result MPI_##name parameters __attribute__((weak, alias("PMPI_" #name)));
FAKEMPI_FUNCTIONS(EXPORT)

enum { COMM, TYPE, OP, REQUEST, INFO, CLASSES };

#ifdef FAKEMPI_MPICH
int *const MPI_UNWEIGHTED = (int *)&MPI_UNWEIGHTED, *const MPI_WEIGHTS_EMPTY = (int *)&MPI_WEIGHTS_EMPTY;
static int handle(int class, int n)
{
    static const unsigned bases[CLASSES] = {0x84000000u, 0x8c000000u, 0x98000000u, 0xac000000u, 0x9c000000u};
    return (int)(bases[class] + (unsigned)n);
}
#else
struct fake_object ompi_mpi_comm_world, ompi_mpi_comm_null, ompi_mpi_int, ompi_mpi_byte, ompi_mpi_datatype_null,
    ompi_mpi_op_sum, ompi_mpi_op_min, ompi_mpi_errors_return, ompi_request_null, ompi_mpi_info_null;
static struct fake_object *handle(int class, int n)
{
    static struct fake_object objects[CLASSES][16];
    return &objects[class][n % 16];
}
#endif

static int initialized, finalized, made[CLASSES];
static MPI_User_function *user_function;
static struct { int source, tag, count; } requests[16]; /* receives in progress, by number */

static int setting(const char *name, int otherwise)
{
    const char *v = getenv(name);
    return v ? atoi(v) : otherwise;
}

int PMPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; initialized = 1; return 0; }
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc, (void)argv;
    *provided = required;
    initialized = 1;
    return 0;
}
int PMPI_Initialized(int *flag) { *flag = initialized; return 0; }
int PMPI_Finalize(void)
{
    if (setting("FAKEMPI_SHOW", 0)) printf("Finalize\n");
    finalized = 1;
    return 0;
}
int PMPI_Finalized(int *flag) { *flag = finalized; return 0; }
int PMPI_Abort(MPI_Comm comm, int code) { (void)comm; exit(code); }
int PMPI_Get_library_version(char *version, int *len)
{
#ifdef FAKEMPI_MPICH
    strcpy(version, "MPICH Version: fake\nsecond line");
#else
    strcpy(version, "Open MPI fake");
#endif
    *len = (int)strlen(version);
    return 0;
}
double PMPI_Wtime(void) { return 1.5; }
int PMPI_Pcontrol(const int level, ...) { (void)level; return 0; }

int PMPI_Comm_rank(MPI_Comm comm, int *rank) { (void)comm; *rank = setting("FAKEMPI_RANK", 0); return 0; }
int PMPI_Comm_size(MPI_Comm comm, int *size) { (void)comm; *size = setting("FAKEMPI_SIZE", 4); return 0; }
int PMPI_Comm_test_inter(MPI_Comm comm, int *flag) { (void)comm; *flag = 0; return 0; }
int PMPI_Comm_get_parent(MPI_Comm *parent) { *parent = MPI_COMM_NULL; return 0; }
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) { (void)comm; *newcomm = handle(COMM, made[COMM]++); return 0; }
int PMPI_Comm_free(MPI_Comm *comm) { *comm = MPI_COMM_NULL; return 0; }

/* Shows what it was asked to start. */
int PMPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                    MPI_Comm *intercomm, int errcodes[])
{
    (void)maxprocs, (void)info, (void)root, (void)comm, (void)errcodes;
    printf("spawn %s", command);
    for (int i = 0; argv && argv[i]; i++) printf(" %s", argv[i]);
    printf("\n");
    *intercomm = handle(COMM, made[COMM]++);
    return 0;
}

int PMPI_Barrier(MPI_Comm comm) { (void)comm; return 0; }
int PMPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)buf, (void)count, (void)type, (void)comm;
    return root < setting("FAKEMPI_SIZE", 4) ? 0 : MPI_ERR_RANK;
}
int PMPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)comm;
    if (op != MPI_SUM && user_function) user_function((void *)in, out, &count, &type);
    return 0;
}
int PMPI_Gatherv(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
                 MPI_Datatype outtype, int root, MPI_Comm comm)
{
    (void)in, (void)count, (void)type, (void)out, (void)counts, (void)displs, (void)outtype, (void)root, (void)comm;
    return 0;
}
int PMPI_Alltoallv(const void *in, const int counts[], const int displs[], MPI_Datatype type, void *out,
                   const int outcounts[], const int outdispls[], MPI_Datatype outtype, MPI_Comm comm)
{
    (void)in, (void)counts, (void)displs, (void)type, (void)out, (void)outcounts, (void)outdispls, (void)outtype, (void)comm;
    return 0;
}
int PMPI_Op_create(MPI_User_function *f, int commute, MPI_Op *op)
{
    (void)commute;
    user_function = f;
    *op = handle(OP, made[OP]++);
    return 0;
}
int PMPI_Op_free(MPI_Op *op) { (void)op; return 0; }

int PMPI_Type_size(MPI_Datatype type, int *size) { *size = type == MPI_BYTE ? 1 : 4; return 0; }
int PMPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *newtype)
{
    (void)count, (void)type;
    *newtype = handle(TYPE, made[TYPE]++);
    return 0;
}
int PMPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displs[], const MPI_Datatype types[],
                            MPI_Datatype *newtype)
{
    (void)count, (void)lengths, (void)displs, (void)types;
    *newtype = handle(TYPE, made[TYPE]++);
    return 0;
}
int PMPI_Type_commit(MPI_Datatype *type) { (void)type; return 0; }
int PMPI_Type_free(MPI_Datatype *type) { *type = MPI_DATATYPE_NULL; return 0; }
int PMPI_Get_address(const void *p, MPI_Aint *address) { *address = (MPI_Aint)p; return 0; }

static int unused;
__attribute__((optimize("O2"))) static int ends_in_a_jump(MPI_Comm comm) { return MPI_Comm_test_inter(comm, &unused); }
static int (*volatile library_callback)(MPI_Comm) = ends_in_a_jump;

int PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    int rank;
    (void)buf, (void)count, (void)type;
    if (tag == -7) MPI_Comm_rank(comm, &rank);
    if (tag == -6) MPI_Barrier(comm), library_callback(comm);
    if (tag == -9) raise(SIGKILL);
    return dest < setting("FAKEMPI_SIZE", 4) ? 0 : MPI_ERR_RANK;
}

static void set_status(MPI_Status *s, int source, int tag, size_t bytes)
{
    if (s == MPI_STATUS_IGNORE) return;
    s->MPI_SOURCE = source == MPI_ANY_SOURCE ? 2 : source;
    s->MPI_TAG = tag == MPI_ANY_TAG ? 17 : tag;
    s->MPI_ERROR = 77; /* left over from something: only meaningful after MPI_ERR_IN_STATUS */
#ifdef FAKEMPI_MPICH
    s->count_lo = (int)bytes;
    s->count_hi_and_cancelled = (int)(bytes >> 32) << 1;
#else
    s->_cancelled = 0;
    s->_ucount = bytes;
#endif
}

int PMPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    int size;
    (void)buf, (void)comm;
    PMPI_Type_size(type, &size); /* through the dynamic linker, as real libraries do */
    set_status(status, source, tag, (size_t)count * (size_t)size);
    return 0;
}

int PMPI_Sendrecv(const void *out, int outcount, MPI_Datatype outtype, int dest, int outtag, void *in, int count,
                  MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    (void)out, (void)outcount, (void)outtype, (void)dest, (void)outtag;
    return PMPI_Recv(in, count, type, source, tag, comm, status);
}

static int new_request(int source, int tag, int count, MPI_Request *request)
{
    int n = made[REQUEST]++ % 16;
    requests[n].source = source, requests[n].tag = tag, requests[n].count = count;
    *request = handle(REQUEST, n);
    return 0;
}
int PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    (void)buf, (void)type, (void)comm;
    return new_request(dest, tag, count, request);
}
int PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    (void)buf, (void)type, (void)comm;
    return new_request(source, tag, count, request);
}
int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    for (int i = 0; i < 16; i++)
        if (*request == handle(REQUEST, i)) set_status(status, requests[i].source, requests[i].tag, (size_t)requests[i].count);
    *request = MPI_REQUEST_NULL;
    return 0;
}
int PMPI_Waitall(int count, MPI_Request list[], MPI_Status *statuses)
{
    for (int i = 0; i < count; i++) PMPI_Wait(&list[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
    if (count != 3) return 0;
    if (statuses == MPI_STATUSES_IGNORE) return MPI_ERR_IN_STATUS;
    statuses[0].MPI_ERROR = statuses[2].MPI_ERROR = 0;
    statuses[1].MPI_ERROR = MPI_ERR_RANK;
    return MPI_ERR_IN_STATUS;
}
/* Nobody joins a nonblocking reduction. FAKEMPI_SHOW makes the library tell of it. */
static MPI_Request open_reduction;
static MPI_Errhandler error_handler;
static void show(const char *what)
{
    if (setting("FAKEMPI_SHOW", 0)) printf("%s\n", what);
}
int PMPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    (void)in, (void)out, (void)type, (void)op, (void)comm;
    show("Iallreduce");
    new_request(0, 0, count, request);
    open_reduction = *request;
    return 0;
}
int PMPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *newcomm)
{
    (void)comm, (void)colour, (void)key;
    show("Comm_split");
    *newcomm = handle(COMM, made[COMM]++);
    return 0;
}
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler) { (void)comm; *handler = error_handler; return 0; }
int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm;
    show(handler == error_handler ? "same error handler" : "error handler");
    error_handler = handler;
    return 0;
}
int PMPI_Cancel(MPI_Request *request) { (void)request; show("Cancel"); return 0; }
int PMPI_Request_free(MPI_Request *request) { *request = MPI_REQUEST_NULL; return 0; }
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    *flag = *request != open_reduction;
    return *flag ? PMPI_Wait(request, status) : 0;
}

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    (void)info;
    *(void **)baseptr = malloc((size_t)size);
    return 0;
}
int PMPI_Free_mem(void *base) { free(base); return 0; }
int PMPI_Info_create(MPI_Info *info) { *info = handle(INFO, made[INFO]++); return 0; }
int PMPI_Info_set(MPI_Info info, const char *key, const char *value) { (void)info, (void)key, (void)value; return 0; }
int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    (void)info, (void)key, (void)valuelen, (void)value;
    *flag = 0;
    return 0;
}
int PMPI_Info_free(MPI_Info *info) { *info = MPI_INFO_NULL; return 0; }
