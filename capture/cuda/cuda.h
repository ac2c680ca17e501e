/* CUDA: calls of its runtime and driver, and what its GPUs do, as CUPTI reports them. */
#ifndef TABARD_CUDA_H
#define TABARD_CUDA_H
#include "core/api.h"

#pragma GCC visibility push(hidden)

/* ---- calls.c: what the program calls ---- */

/* The function of ours that CUPTI calls by this name, which may have a version behind; 0: none that is recorded. */
int tb_cuda_function(const char *name);
struct tb_cuda_call; /* CUpti_CallbackData */
void tb_cuda_enter(int id, const struct tb_cuda_call *about);
void tb_cuda_leave(int id, const struct tb_cuda_call *about);

/* ---- queues.c: what GPUs do ---- */

/* CUpti_ActivityKind: kernels are those of CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, for which CUPTI does not keep kernels
 * apart. */
enum { TB_CUDA_COPY = 1, TB_CUDA_SET = 2, TB_CUDA_KERNEL = 10, TB_CUDA_COPY_BETWEEN = 22 };

/* Milliseconds: so often CUPTI is asked for what has ended, and so long that waits for what ended before it. */
enum { TB_CUDA_EACH = 400, TB_CUDA_WAITS = 1000 };

/* CUPTI's clock and ours, read at the same time; cupti is 0 if that failed. */
struct tb_cuda_time { uint64_t cupti, ticks; };
/* All records of a buffer that CUPTI has filled; next gives them one by one, 0 when there is another one. */
typedef int tb_cuda_next(uint8_t *buffer, size_t bytes, const void **record);
void tb_cuda_write(uint8_t *buffer, size_t bytes, tb_cuda_next *next, struct tb_cuda_time now);
void tb_cuda_release(int all); /* records what waits: what has waited for long, or all */
void tb_cuda_lost(uint64_t records); /* CUPTI had no room for them */
void tb_cuda_child(void);             /* this process is a forked child: the queues are its parent's */
void tb_cuda_clock(struct tb_cuda_time now); /* to begin with */

#pragma GCC visibility pop
#endif
