/* The address code of the runtime with a recorder that only keeps books. */
#ifndef HARNESS_H
#define HARNESS_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LITERAL = 0, HEAP = 1, MODULE = 2, STACK = 3, RAW = 15 };
static inline unsigned class_of(uint64_t w) { return (unsigned)(w >> 60); }
static inline uint32_t number_of(uint64_t w) { return (uint32_t)(w >> 40) & 0xfffff; }
static inline uint64_t offset_of(uint64_t w) { return w & ((1ULL << 40) - 1); }

void h_attach(void);                     /* this thread is traced from now on */
void h_detach(void);
uint64_t h_word(const void *a);          /* as an address parameter of an MPI call */
uint64_t h_displacement(uint64_t v);
void h_in_call(int on);                  /* this thread is inside an MPI function */
void h_mpi_memory(void *base, int64_t bytes);
void h_mpi_memory_free(void *base);
int h_kind(uint32_t number);             /* of a segment that lives according to the records, else 0 */
uint64_t h_bytes(uint32_t number);
int h_thread(void);                      /* number of this thread */
const char *h_module(uint32_t number, uint64_t *bias, const char **build_id); /* path */
unsigned h_count(int record);            /* records of a kind so far */
uint64_t h_site(int mode);               /* of the caller */
int h_from_cache(void);                  /* how many sites with callers the caches knew */
unsigned h_stack(uint32_t id, uint64_t *words, unsigned max);
int h_walk(uintptr_t *pcs, int max);     /* return addresses from the caller on */
void h_clear_steps(void);
int h_highest_block(void);
void h_binding(const void *a);           /* the module around a counts as a language binding */
extern int h_dlsym_calls;

static inline void h_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    abort();
}
#define CHECK(what) ((what) ? (void)0 : h_fail(__FILE__, __LINE__, #what))
#endif
