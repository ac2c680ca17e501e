/* What the test programs need of NCCL's interface. */
#include <stddef.h>
typedef struct { char bytes[128]; } ncclUniqueId;
typedef void *ncclComm_t, *cudaStream_t;
enum { ncclInt32 = 2, ncclFloat32 = 7, ncclFloat64 = 8, ncclSum = 0, ncclMax = 2 };
int ncclGetVersion(int *), ncclGetUniqueId(ncclUniqueId *), ncclCommInitRank(ncclComm_t *, int, ncclUniqueId, int);
int ncclCommSplit(ncclComm_t, int, int, ncclComm_t *, void *), ncclCommDestroy(ncclComm_t), ncclCommCount(ncclComm_t, int *);
int ncclCommUserRank(ncclComm_t, int *), ncclGroupStart(void), ncclGroupEnd(void);
int ncclAllReduce(const void *, void *, size_t, int, int, ncclComm_t, cudaStream_t);
int ncclBroadcast(const void *, void *, size_t, int, int, ncclComm_t, cudaStream_t);
int ncclAllGather(const void *, void *, size_t, int, ncclComm_t, cudaStream_t);
int ncclReduceScatter(const void *, void *, size_t, int, int, ncclComm_t, cudaStream_t);
int ncclSend(const void *, size_t, int, int, ncclComm_t, cudaStream_t), ncclRecv(void *, size_t, int, int, ncclComm_t, cudaStream_t);
