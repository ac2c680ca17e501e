/* torch.distributed: the methods of PyTorch's process groups, which stand here under their C++ names (methods.c), what is
 * recorded of a call (calls.c), and what is known of groups, works and tensors (objects.c). No header of PyTorch is
 * needed. */
#ifndef TABARD_TORCH_H
#define TABARD_TORCH_H
#include "core/api.h"

#pragma GCC visibility push(hidden)

/* Results in memory are passed on by their address, which is the first argument, on x86-64 alone. */
#if defined(__x86_64__)
#define TB_TORCH
#endif

/* What a method takes: where the tensors are whose amounts count, and what else there is. */
enum tb_torch_form {
    TB_TORCH_FIRST,     /* a list of tensors */
    TB_TORCH_SECOND,    /* the second of two lists: what is sent */
    TB_TORCH_TENSOR,    /* a tensor */
    TB_TORCH_SECOND_TENSOR,
    TB_TORCH_EXCHANGE,  /* lists of what comes and of what goes, a tensor for each rank */
    TB_TORCH_SPLIT,     /* tensors of what comes and of what goes, and how many rows for each rank */
    TB_TORCH_PEER,      /* a list of tensors, a rank and a tag */
    TB_TORCH_ANY,       /* a list of tensors and a tag */
    TB_TORCH_NOTHING,
};
/* What is in the options, which are the argument with the number `options`, 0 for none. */
enum tb_torch_values { TB_TORCH_NONE, TB_TORCH_OP, TB_TORCH_ROOT, TB_TORCH_OP_AND_ROOT };

struct tb_torch_method {
    const char *symbol;
    int id;
    enum tb_torch_form form;
    int options;
    enum tb_torch_values values;
};

/* The object, and the arguments behind it, as they lie in registers. */
struct tb_torch_arguments { uintptr_t result, self, a[5]; };
typedef uintptr_t tb_torch_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

/* ---- calls.c ---- */

/* The function that stands behind ours; found once. */
void *tb_torch_behind(const char *symbol, void **found);
uintptr_t tb_torch_call(const struct tb_torch_method *m, tb_torch_function *real, const struct tb_torch_arguments *x,
                        void *caller, void *frame);
uintptr_t tb_torch_wait(tb_torch_function *real, uintptr_t work, uintptr_t timeout, void *caller, void *frame);
void tb_torch_wait_all(void (*real)(uintptr_t), uintptr_t reducer, void *caller, void *frame);
void tb_torch_init(const char *backend, tb_torch_function *real, const struct tb_torch_arguments *x, void *caller,
                   void *frame);
void tb_torch_destroy(void (*real)(uintptr_t), uintptr_t group, void *caller, void *frame);

/* ---- objects.c ---- */

struct tb_torch_tensor { int64_t elements, dims, *shape; int32_t type; };
/* 0: nothing is known of it, and the rest is zero. */
int tb_torch_look(uintptr_t tensor, struct tb_torch_tensor *t);

/* A group of `size` processes has been made, and has this rank in it. */
void tb_torch_group(uintptr_t group, int rank, int size);
int tb_torch_size(uintptr_t group); /* 0: not known */
/* How long what all reference-counted objects begin with is, 0 as long as no group has shown it. */
unsigned tb_torch_head(void);

/* A store was made that puts a prefix before all keys, on top of another one; a number for all that is put there, by
 * which the members of a group know each other: the same in all of them, another one each time. */
void tb_torch_store(uintptr_t store, const char *prefix, size_t bytes, uintptr_t on);
uint64_t tb_torch_number(uintptr_t store);

/* Works whose end is waited for by their futures, by PyTorch itself. */
enum { TB_TORCH_PENDING = 256 };
void tb_torch_pending(uintptr_t work);
void tb_torch_not_pending(uintptr_t work);
unsigned tb_torch_take_pending(uint64_t works[TB_TORCH_PENDING]);

#pragma GCC visibility pop
#endif
