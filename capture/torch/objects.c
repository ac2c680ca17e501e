/* What is known of groups, stores, works and tensors of PyTorch: by their addresses, from the calls that made them. */
#define _GNU_SOURCE
#include <pthread.h>
#include "core/core.h"
#include "torch/torch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Tensors, by the functions in C that compiled models call ---- */

int tb_torch_look(uintptr_t tensor, struct tb_torch_tensor *t)
{
    static int (*dim)(uintptr_t, int64_t *), (*sizes)(uintptr_t, int64_t **), (*type)(uintptr_t, int32_t *);
    static int state; /* 0 not looked for, 1 there, -1 not there */
    memset(t, 0, sizeof *t);
    if (tb_unlikely(!__atomic_load_n(&state, __ATOMIC_ACQUIRE))) {
        dim = (int (*)(uintptr_t, int64_t *))tb_symbol_behind("aoti_torch_get_dim");
        sizes = (int (*)(uintptr_t, int64_t **))tb_symbol_behind("aoti_torch_get_sizes");
        type = (int (*)(uintptr_t, int32_t *))tb_symbol_behind("aoti_torch_get_dtype");
        __atomic_store_n(&state, dim && sizes && type ? 1 : -1, __ATOMIC_RELEASE);
    }
    if (state < 0 || dim(tensor, &t->dims) || sizes(tensor, &t->shape) || type(tensor, &t->type)) {
        memset(t, 0, sizeof *t);
        return 0;
    }
    t->elements = 1;
    for (int64_t i = 0; i < t->dims; i++) t->elements *= t->shape[i];
    return 1;
}

/* ---- Groups ---- */

enum { GROUPS = 1 << 10, HEAD_NEW = 16, HEAD_OLD = 24 };
static struct { uintptr_t group; int size; } groups[GROUPS];
static unsigned next_group, head;

/* A backend begins with what all counted objects begin with: 16 bytes where both counts are in one word, 24 where they
 * are in two. Its rank and size follow. */
static void learn_head(const char *group, const int expected[2])
{
    if (memcmp(group + HEAD_NEW, expected, 2 * sizeof *expected) == 0) head = HEAD_NEW;
    else if (memcmp(group + HEAD_OLD, expected, 2 * sizeof *expected) == 0) head = HEAD_OLD;
}

void tb_torch_group(uintptr_t group, int rank, int size)
{
    int expected[2] = {rank, size};
    pthread_mutex_lock(&lock);
    if (!head) learn_head((const char *)group, expected);
    unsigned i = 0;
    while (i < GROUPS && groups[i].group != group) i++;
    if (i == GROUPS) i = next_group++ % GROUPS;
    groups[i].group = group, groups[i].size = size;
    pthread_mutex_unlock(&lock);
}

int tb_torch_size(uintptr_t group)
{
    int size = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < GROUPS && groups[i].group && !size; i++)
        if (groups[i].group == group) size = groups[i].size;
    pthread_mutex_unlock(&lock);
    return size;
}

unsigned tb_torch_head(void) { return head; }

/* ---- Stores ---- */

enum { STORES = 1 << 10 };
static struct { uintptr_t store; uint64_t hash; } stores[STORES];
static struct { uint64_t hash, times; } made[STORES];
static unsigned next_store;

/* FNV-1a. */
static uint64_t hash_of(uint64_t hash, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t known(uintptr_t store)
{
    for (unsigned i = 0; i < STORES && stores[i].store; i++)
        if (stores[i].store == store) return stores[i].hash;
    return 0xcbf29ce484222325u;
}

void tb_torch_store(uintptr_t store, const char *prefix, size_t bytes, uintptr_t on)
{
    pthread_mutex_lock(&lock);
    uint64_t hash = hash_of(hash_of(known(on), prefix, bytes), "/", 1);
    unsigned i = 0;
    while (i < STORES && stores[i].store != store) i++;
    if (i == STORES) i = next_store++ % STORES;
    stores[i].store = store, stores[i].hash = hash;
    pthread_mutex_unlock(&lock);
}

/* Groups that are made one after the other with the same prefixes differ by how many there were before. */
uint64_t tb_torch_number(uintptr_t store)
{
    pthread_mutex_lock(&lock);
    uint64_t hash = known(store), times;
    unsigned i = 0;
    while (i < STORES - 1 && made[i].times && made[i].hash != hash) i++;
    made[i].hash = hash;
    times = ++made[i].times;
    pthread_mutex_unlock(&lock);
    return hash_of(hash, (const char *)&times, sizeof times) >> 1; /* never negative */
}

/* ---- Works ---- */

static uint64_t pending[TB_TORCH_PENDING];
static unsigned pendings;

static unsigned place_of(uint64_t work)
{
    unsigned i = 0;
    while (i < pendings && pending[i] != work) i++;
    return i;
}

static void remove_at(unsigned i)
{
    memmove(&pending[i], &pending[i + 1], (--pendings - i) * sizeof *pending);
}

void tb_torch_pending(uintptr_t work)
{
    pthread_mutex_lock(&lock);
    if (place_of(work) == pendings) {
        if (pendings == TB_TORCH_PENDING) remove_at(0);
        pending[pendings++] = work;
    }
    pthread_mutex_unlock(&lock);
}

void tb_torch_not_pending(uintptr_t work)
{
    pthread_mutex_lock(&lock);
    unsigned i = place_of(work);
    if (i < pendings) remove_at(i);
    pthread_mutex_unlock(&lock);
}

unsigned tb_torch_take_pending(uint64_t works[TB_TORCH_PENDING])
{
    pthread_mutex_lock(&lock);
    unsigned n = pendings;
    memcpy(works, pending, n * sizeof *works);
    pendings = 0;
    pthread_mutex_unlock(&lock);
    return n;
}
