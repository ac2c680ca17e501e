//go:build ignore

/* Handles: for each thread one table for each class of objects. A slot is 0 until the object is created, and the null
 * handle once it is freed. Calls are given pointers to slots, so that the library itself writes them back.
 *
 * Several threads: numbers of objects are those of the process, but in a replay threads may be ahead of each other. So
 * what a thread creates goes to its own table, and what it uses is looked for there first, and then in those of the
 * others. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "executor.h"

enum { MOST_SLOTS = 1 << 27, LEAST_SLOTS = 1 << 12 }; /* of a class, address space only */

uint64_t rp_nulls[RP_NUM_CLASSES];
static uint64_t predefined[RP_NUM_PREDEFINEDS];
uint64_t rp_num_early;

void rp_objects_init(void)
{
    for (int i = 0; i < RP_NUM_PREDEFINEDS; i++) {
        const struct rp_predefined *p = &rp_predefineds[i];
        void *address = tb_abi.kind == 1 && p->symbol ? tb_library_variable(p->symbol) : NULL;
        predefined[i] = address ? (uint64_t)(uintptr_t)address : p->values[tb_abi.kind];
        if (p->null && predefined[i] != RP_NO_HANDLE) rp_nulls[p->class] = predefined[i];
    }
}

void rp_objects_of(struct rp_thread *t)
{
    struct rp_objects *o = &t->objects;
    long all = -1;
    uint64_t space = rp_address_space() / 64; /* there may be other threads */
    for (o->slots = MOST_SLOTS; all == -1 && o->slots >= LEAST_SLOTS; o->slots /= 2) {
        if ((RP_NUM_CLASSES + 2) * o->slots * sizeof(uint64_t) > space && o->slots / 2 >= LEAST_SLOTS) continue;
        /* Not by mmap: a tracer would take it for a buffer. */
        all = syscall(SYS_mmap, NULL, (RP_NUM_CLASSES + 2) * o->slots * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all != -1) break;
    }
    if (all == -1) rp_fail(t, RP_BROKEN, "there is no address space for tables of objects");
    for (uint64_t c = 0; c < RP_NUM_CLASSES; c++) o->tables[c] = (uint64_t *)all + c * o->slots;
    o->kept = (void ***)((uint64_t *)all + RP_NUM_CLASSES * o->slots);
    o->early = (unsigned char *)((uint64_t *)all + (RP_NUM_CLASSES + 1) * o->slots);
}

/* ---- Looking up ---- */

uint64_t rp_number(const struct rp_thread *t, uint64_t code)
{
    uint64_t number = (code - 2) / 2;
    return code == 0 || code & 1 || code == (uint64_t)RP_NO_CODE || number >= t->objects.slots ? UINT64_MAX : number;
}

uint64_t *rp_slot(struct rp_thread *t, int class, uint64_t code)
{
    uint64_t number = rp_number(t, code);
    if (number != UINT64_MAX) return &t->objects.tables[class][number];
    if (code != 0 && !(code & 1) && code != (uint64_t)RP_NO_CODE)
        rp_fail(t, RP_BROKEN, "its program has object %llu of class %d: there is room for %llu",
            (unsigned long long)(code - 2) / 2, class,
                (unsigned long long)t->objects.slots);
    return NULL;
}

uint64_t rp_predefined(int class, uint64_t code)
{
    uint64_t i = (code - 1) / 2;
    return code & 1 && i < RP_NUM_PREDEFINEDS && predefined[i] != RP_NO_HANDLE ? predefined[i] : rp_nulls[class];
}

/* The object as another thread has it. */
static uint64_t *of_others(struct rp_thread *t, int class, uint64_t *own)
{
    uint64_t number = (uint64_t)(own - t->objects.tables[class]);
    for (int i = 0; i < rp_process.threads; i++) {
        struct rp_thread *o = rp_process.thread[i];
        if (o == t || number >= o->objects.slots) continue;
        uint64_t *slot = &o->objects.tables[class][number];
        if (rp_is_live(class, __atomic_load_n(slot, __ATOMIC_ACQUIRE))) return slot;
    }
    return NULL;
}

uint64_t *rp_missing(struct rp_thread *t, int class, uint64_t *own)
{
    uint64_t *slot = NULL;
    int before = t->state;
    /* A request that the thread had itself, and that is complete. */
    if (rp_process.threads == 1 || (class == RP_CLASS_REQUEST && *own != 0)) return own;
    for (unsigned turn = 0;; turn++) {
        int alone = rp_threads_ended(t); /* nobody else is going to create it: looked up once more */
        if ((slot = of_others(t, class, own)) || alone || rp_is_live(class, *own)) break;
        t->state = RP_NEEDS_OBJECT;
        rp_pause(turn);
    }
    t->state = before;
    return slot ? slot : own;
}

/* ---- References ---- */

static struct reference { struct reference *next; uint64_t *slot, handle; } *references;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int rp_counts_references(int class)
{
    return class != RP_CLASS_REQUEST && class != RP_CLASS_MESSAGE && class != RP_CLASS_COMM && class != RP_CLASS_KEYVAL;
}

void rp_push_handle(int class, uint64_t *slot)
{
    if (!rp_is_live(class, *slot)) return;
    struct reference *r = malloc(sizeof *r);
    if (!r) rp_fail(NULL, RP_BROKEN, "there is no memory for a handle");
    pthread_mutex_lock(&lock);
    *r = (struct reference){references, slot, *slot};
    __atomic_store_n(&references, r, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

void rp_pop_handle(int class, uint64_t *slot)
{
    if (*slot != rp_nulls[class] || !__atomic_load_n(&references, __ATOMIC_ACQUIRE)) return;
    pthread_mutex_lock(&lock);
    for (struct reference **p = &references, *r; (r = *p); p = &r->next) {
        if (r->slot != slot) continue;
        *slot = r->handle;
        *p = r->next;
        free(r);
        break;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Statuses, and what goes with requests ---- */

/* The standard ABI hides the count of a status. */
static void set_status(char *status, uint64_t bytes, int cancelled)
{
    typedef int set_elements(void *, uintptr_t, uint64_t);
    typedef int set_cancelled(void *, int);
    set_elements *elements = (set_elements *)rp_library_function("PMPI_Status_set_elements_x");
    set_cancelled *cancel = (set_cancelled *)rp_library_function("PMPI_Status_set_cancelled");
    if (elements) elements(status, (uintptr_t)predefined[RP_BYTE], bytes);
    if (cancel) cancel(status, cancelled);
}

void rp_status_write(char *status, const uint64_t *w)
{
    uint64_t bytes = w[2], cancelled = w[3] >> 32 & 1;
    memset(status, 0, (size_t)tb_abi.status_bytes);
    *(int32_t *)(status + tb_abi.off_source) = (int32_t)w[0];
    *(int32_t *)(status + tb_abi.off_tag) = (int32_t)w[1];
    *(int32_t *)(status + tb_abi.off_error) = (int32_t)w[3];
    switch (tb_abi.kind) {
    case 1: /* _cancelled, _ucount */
        *(int32_t *)(status + 12) = (int32_t)cancelled;
        *(uint64_t *)(status + 16) = bytes;
        break;
    case 2: /* count_lo, count_hi_and_cancelled */
        *(uint32_t *)status = (uint32_t)bytes;
        *(uint32_t *)(status + 4) = (uint32_t)(bytes >> 32 << 1 | cancelled);
        break;
    default: set_status(status, bytes, (int)cancelled);
    }
}

void rp_keep_with(struct rp_thread *t, uint64_t request, void **blocks)
{
    void ***k = &t->objects.kept[request];
    for (void **b = *k; b && *b; b++) free(*b);
    free(*k);
    *k = blocks;
}
