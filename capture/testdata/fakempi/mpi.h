/* The header of the fake MPI: a process of its own, with the binary interface of
 * Open MPI, or of MPICH with -DFAKEMPI_MPICH. For tests of the runtime only. */
#ifndef FAKEMPI_MPI_H
#define FAKEMPI_MPI_H
#include <stddef.h>

typedef long MPI_Aint, MPI_Count, MPI_Offset;

#ifdef FAKEMPI_MPICH
typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Info, MPI_Errhandler;
typedef struct { int count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR; } MPI_Status;
#define MPI_COMM_WORLD 0x44000000
#define MPI_COMM_NULL 0x04000000
#define MPI_INT 0x4c000405
#define MPI_BYTE 0x4c00010d
#define MPI_DATATYPE_NULL 0x0c000000
#define MPI_SUM 0x58000003
#define MPI_REQUEST_NULL 0x2c000000
#define MPI_INFO_NULL 0x1c000000
#define MPI_IN_PLACE ((void *)-1)
#define MPI_STATUS_IGNORE ((MPI_Status *)1)
#define MPI_STATUSES_IGNORE ((MPI_Status *)1)
#define MPI_PROC_NULL (-1)
#define MPI_ANY_SOURCE (-2)
#define MPI_ERR_IN_STATUS 17
#else
struct fake_object { int kind[8]; };
typedef struct fake_object *MPI_Comm, *MPI_Datatype, *MPI_Op, *MPI_Request, *MPI_Info, *MPI_Errhandler;
typedef struct { int MPI_SOURCE, MPI_TAG, MPI_ERROR, _cancelled; size_t _ucount; } MPI_Status;
extern struct fake_object ompi_mpi_comm_world, ompi_mpi_comm_null, ompi_mpi_int, ompi_mpi_byte, ompi_mpi_datatype_null,
    ompi_mpi_op_sum, ompi_mpi_op_min, ompi_mpi_errors_return, ompi_request_null, ompi_mpi_info_null;
#define MPI_COMM_WORLD (&ompi_mpi_comm_world)
#define MPI_COMM_NULL (&ompi_mpi_comm_null)
#define MPI_INT (&ompi_mpi_int)
#define MPI_BYTE (&ompi_mpi_byte)
#define MPI_DATATYPE_NULL (&ompi_mpi_datatype_null)
#define MPI_SUM (&ompi_mpi_op_sum)
#define MPI_REQUEST_NULL (&ompi_request_null)
#define MPI_INFO_NULL (&ompi_mpi_info_null)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_PROC_NULL (-2)
#define MPI_ANY_SOURCE (-1)
#define MPI_ERR_IN_STATUS 18
#endif
#define MPI_SUCCESS 0
#define MPI_ERR_RANK 6
#define MPI_ANY_TAG (-1)
#define MPI_UNDEFINED (-32766)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_THREAD_MULTIPLE 3

typedef void MPI_User_function(void *, void *, int *, MPI_Datatype *);

/* Every function once: result, name, parameters. */
#define FAKEMPI_FUNCTIONS(F) \
    F(int, Init, (int *argc, char ***argv)) \
    F(int, Init_thread, (int *argc, char ***argv, int required, int *provided)) \
    F(int, Initialized, (int *flag)) \
    F(int, Finalize, (void)) \
    F(int, Finalized, (int *flag)) \
    F(int, Abort, (MPI_Comm comm, int code)) \
    F(int, Get_library_version, (char *version, int *len)) \
    F(double, Wtime, (void)) \
    F(int, Pcontrol, (const int level, ...)) \
    F(int, Comm_rank, (MPI_Comm comm, int *rank)) \
    F(int, Comm_size, (MPI_Comm comm, int *size)) \
    F(int, Comm_test_inter, (MPI_Comm comm, int *flag)) \
    F(int, Comm_get_parent, (MPI_Comm *parent)) \
    F(int, Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm)) \
    F(int, Comm_free, (MPI_Comm *comm)) \
    F(int, Comm_spawn, (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, \
                        MPI_Comm *intercomm, int errcodes[])) \
    F(int, Barrier, (MPI_Comm comm)) \
    F(int, Bcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)) \
    F(int, Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) \
    F(int, Iallreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)) \
    F(int, Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *newcomm)) \
    F(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *handler)) \
    F(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler)) \
    F(int, Cancel, (MPI_Request *request)) \
    F(int, Request_free, (MPI_Request *request)) \
    F(int, Gatherv, (const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[], \
                     MPI_Datatype outtype, int root, MPI_Comm comm)) \
    F(int, Alltoallv, (const void *in, const int counts[], const int displs[], MPI_Datatype type, void *out, \
                       const int outcounts[], const int outdispls[], MPI_Datatype outtype, MPI_Comm comm)) \
    F(int, Op_create, (MPI_User_function *f, int commute, MPI_Op *op)) \
    F(int, Op_free, (MPI_Op *op)) \
    F(int, Type_size, (MPI_Datatype type, int *size)) \
    F(int, Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype *newtype)) \
    F(int, Type_create_struct, (int count, const int lengths[], const MPI_Aint displs[], const MPI_Datatype types[], \
                                MPI_Datatype *newtype)) \
    F(int, Type_commit, (MPI_Datatype *type)) \
    F(int, Type_free, (MPI_Datatype *type)) \
    F(int, Get_address, (const void *p, MPI_Aint *address)) \
    F(int, Send, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) \
    F(int, Recv, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)) \
    F(int, Sendrecv, (const void *out, int outcount, MPI_Datatype outtype, int dest, int outtag, void *in, int count, \
                      MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)) \
    F(int, Isend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)) \
    F(int, Irecv, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)) \
    F(int, Wait, (MPI_Request *request, MPI_Status *status)) \
    F(int, Waitall, (int count, MPI_Request requests[], MPI_Status *statuses)) \
    F(int, Test, (MPI_Request *request, int *flag, MPI_Status *status)) \
    F(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void *baseptr)) \
    F(int, Free_mem, (void *base)) \
    F(int, Info_create, (MPI_Info *info)) \
    F(int, Info_set, (MPI_Info info, const char *key, const char *value)) \
    F(int, Info_get, (MPI_Info info, const char *key, int valuelen, char *value, int *flag)) \
    F(int, Info_free, (MPI_Info *info))
#define FAKEMPI_DECLARE(result, name, parameters) result MPI_##name parameters; result PMPI_##name parameters;
#ifdef __cplusplus
extern "C" {
#endif
FAKEMPI_FUNCTIONS(FAKEMPI_DECLARE)
#ifdef __cplusplus
}
#endif
#endif
