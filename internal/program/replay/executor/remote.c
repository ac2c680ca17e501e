//go:build ignore

/* Displacements in windows that memory is attached to are addresses in other processes, which in
 * the recording are numbers that mean nothing here. All processes have a block at the same address
 * and attach it to each such window, below a tracer; accesses by an address go there. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "executor.h"

#define BLOCK UINT64_C(0x11000000000) /* where programs have nothing, and more than any other displacement */
enum { ATTACHED = 64 << 20, SLACK = 960 << 20, FIRST = 1 << 20, PLACES = 1 << 20 };

static int there;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Not by mmap: a tracer would take it for a segment. */
static void reserve_block(struct rp_thread *t)
{
    if (there) return;
    long p = syscall(SYS_mmap, BLOCK, (size_t)ATTACHED + SLACK, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if ((uint64_t)p != BLOCK) rp_fail(t, RP_BROKEN, "MPI_Win_create_dynamic needs memory at %#llx, in all "
        "processes, and there is none to be had", (unsigned long long)BLOCK);
    madvise((void *)p, (size_t)ATTACHED + SLACK, MADV_DONTDUMP);
    there = 1;
}

/* Open MPI 4 asks the target for the attached memory that an address is in, and crashes now and
 * then if there is more than one piece: such calls are left out there (rerun.ReasonOf). */
void rp_remote_attach(struct rp_thread *t, const struct rp_call *c)
{
    if (tb_abi.kind == 1) return;
    typedef int attach_function(uint64_t, void *, int64_t);
    attach_function *attach = (attach_function *)rp_library_function("PMPI_Win_attach");
    uint64_t win = rp_load_handle((const void *)(uintptr_t)c->words[2], rp_bytes(RP_CLASS_WIN));
    pthread_mutex_lock(&lock);
    reserve_block(t);
    pthread_mutex_unlock(&lock);
    if (!attach || attach(win, (void *)(uintptr_t)BLOCK, ATTACHED) != 0)
        rp_fail(t, RP_BROKEN, "no memory can be attached to a window of MPI_Win_create_dynamic");
}

void rp_remote_place(const struct rp_call *c, uint64_t *words)
{
    uint64_t *at = &words[c->outcome_param];
    if (there && (int64_t)*at >= RP_LEAST_ADDRESS) *at = BLOCK + FIRST + *at % PLACES;
}
