//go:build ignore

/* What a parameter needs: once (rp_param_fixed), before each call, and after it. */
#include <stdlib.h>
#include <string.h>
#include "executor.h"

/* The call gives one more reference, or takes one. */
static int is_reference(const struct rp_param *p)
{
    return (p->op == RP_OP_HANDLE_NEW || p->op == RP_OP_HANDLE_IO) && rp_counts_references(p->class);
}
static int is_handles(const struct rp_param *p) { return p->op == RP_OP_HANDLES || p->op == RP_OP_HANDLES_NEW; }
static int has_numbers(const struct rp_param *p)
{
    return p->op == RP_OP_INTS || p->op == RP_OP_ADDRESSES || p->op == RP_OP_STATUS_IN;
}
static int per_number(const struct rp_param *p) { return p->op == RP_OP_ADDRESSES ? 3 : 1; }

static void room(struct rp_thread *t, struct rp_param *p, uint64_t n, uint64_t bytes)
{
    if (bytes && n > ((uint64_t)1 << 40) / bytes) rp_fail(t, RP_BROKEN, "a parameter wants room for %llu elements",
        (unsigned long long)n);
    uint64_t need = n * bytes < 16 ? 16 : n * bytes;
    if (need <= p->room_bytes) return;
    need = need < 2 * p->room_bytes ? 2 * p->room_bytes : need;
    free(p->room);
    p->room = rp_alloc(t, need, 1);
    p->room_bytes = need;
}

/* ---- Contents of arrays ---- */

static void put(char *to, unsigned bytes, uint64_t v)
{
    switch (bytes) {
    case 1: *(uint8_t *)to = (uint8_t)v; break;
    case 2: *(uint16_t *)to = (uint16_t)v; break;
    case 4: *(uint32_t *)to = (uint32_t)v; break;
    default: *(uint64_t *)to = v;
    }
}

static void fill_numbers(struct rp_param *p)
{
    const uint64_t *w = p->codes;
    if (p->op == RP_OP_ADDRESSES)
        for (uint64_t i = 0; i < p->n; i++, w += 3) put(p->room + 8 * i, 8, rp_address(w[0], w[1], (int64_t)w[2]));
    else if (p->op == RP_OP_INTS)
        for (uint64_t i = 0; i < p->n; i++) put(p->room + p->bytes * i, p->bytes, w[i]);
    else rp_status_write(p->room, w);
}

/* Handles of the array; 0: one was never created. MPI_Startall goes on without it. */
static int fill_handles(struct rp_thread *t, struct rp_call *c, struct rp_param *p)
{
    uint64_t n = 0;
    int all = 1;
    for (uint64_t i = 0; i < p->n; i++) {
        uint64_t *slot = p->slots[i] = rp_slot(t, p->class, p->codes[i]), h = 0;
        if (slot) h = *(p->slots[i] = rp_find(t, p->class, slot));
        else h = rp_predefined(p->class, p->codes[i]);
        if (slot && !rp_is_live(p->class, h)) {
            h = rp_null(p->class);
            if (p->class != RP_CLASS_REQUEST) all = 0;
            if (p->strict) continue;
        }
        rp_store_handle(p->room + p->bytes * n++, p->bytes, h);
    }
    if (p->strict && p->class == RP_CLASS_REQUEST && c->num_params == 2 && p->word == 1) c->words[0] = n;
    return all;
}

static void clear_handles(struct rp_thread *t, struct rp_param *p)
{
    for (uint64_t i = 0; i < p->n || i < p->c; i++)
        rp_store_handle(p->room + p->bytes * i, p->bytes, rp_null(p->class));
    for (uint64_t i = 0; i < p->n; i++) p->slots[i] = rp_slot(t, p->class, p->codes[i]);
}

static void write_back(struct rp_param *p)
{
    for (uint64_t i = 0; i < p->n; i++) {
        uint64_t *slot = p->slots[i];
        if (!slot) continue;
        if (p->op == RP_OP_HANDLES_NEW && rp_counts_references(p->class)) rp_push_handle(p->class, slot);
        __atomic_store_n(slot, rp_load_handle(p->room + p->bytes * i, p->bytes), __ATOMIC_RELEASE);
    }
}

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void array_room(struct rp_thread *t, struct rp_param *p)
{
    if (p->op == RP_OP_STATUS_IN) room(t, p, 1, (uint64_t)tb_abi.status_bytes);
    else room(t, p, most(p->n, p->c), p->bytes);
    if (is_handles(p) && p->n > p->slots_room) p->slots = rp_grow(t, p->slots, p->slots_room = p->n, sizeof *p->slots);
}

/* ---- Once ---- */

static char **string_list(struct rp_thread *t, const uint64_t *numbers, uint64_t n)
{
    char **list = rp_alloc(t, n + 1, sizeof *list);
    for (uint64_t i = 0; i < n; i++) list[i] = (char *)(uintptr_t)rp_string(t, numbers[i]);
    return list;
}

static char ***string_lists(struct rp_thread *t, const struct rp_array *a)
{
    uint64_t n = 0, at = 0;
    char ***lists = rp_alloc(t, a->n + 1, sizeof *lists);
    while (at < a->n) {
        uint64_t count = a->words[at++];
        if (count > a->n - at) rp_fail(t, RP_BROKEN, "a list of strings of its program is too short");
        lists[n++] = string_list(t, a->words + at, count);
        at += count;
    }
    return lists;
}

static uint64_t variable(struct rp_thread *t, uint64_t name)
{
    uint64_t *v = tb_library_variable(rp_string(t, name));
    if (!v) rp_fail(t, RP_BROKEN, "%s has no variable %s", rp_process.library_path, rp_string(t, name));
    return *v;
}

static void fixed_handle(struct rp_thread *t, struct rp_param *p, uint64_t *word)
{
    if (p->next) return;
    p->slot = p->b == (uint64_t)RP_NO_CODE ? NULL : rp_slot(t, p->class, p->b);
    if (p->op == RP_OP_HANDLE) *word = p->slot ? 0 : rp_predefined(p->class, p->b);
    else *word = (uint64_t)(uintptr_t)(p->slot ? p->slot : &p->cell);
}

static void fixed_array(struct rp_thread *t, struct rp_param *p, uint64_t *word)
{
    if (!p->next) {
        const struct rp_array *a = rp_array(t, p->b);
        if (p->op == RP_OP_STATUS_IN && a->n < 4) rp_fail(t, RP_BROKEN, "a status of its program has %llu words",
            (unsigned long long)a->n);
        p->n = a->n / (uint64_t)per_number(p);
        p->codes = a->words;
    }
    array_room(t, p);
    *word = (uint64_t)(uintptr_t)p->room;
    if (!p->next && has_numbers(p)) fill_numbers(p);
}

static int starts(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

static int accepts_null_requests(const char *name)
{
    return starts(name, "MPI_Wait") || starts(name, "MPI_Test") || starts(name, "MPI_Request_get_status");
}

void rp_param_fixed(struct rp_thread *t, struct rp_call *c, struct rp_param *p)
{
    uint64_t *word = &c->words[p->word];
    switch (p->op) {
    case RP_OP_HANDLE: case RP_OP_HANDLE_IO: case RP_OP_HANDLE_NEW: case RP_OP_HANDLES: case RP_OP_HANDLES_NEW:
        if (p->a == 0 || p->a >= RP_NUM_CLASSES) rp_fail(t, RP_BROKEN, "%s has an object of class %llu", c->name,
            (unsigned long long)p->a);
        p->class = (uint8_t)p->a;
        p->strict = p->class == RP_CLASS_REQUEST && !accepts_null_requests(c->name);
        p->bytes = (uint8_t)rp_bytes(p->class);
        if (is_handles(p)) fixed_array(t, p, word);
        else fixed_handle(t, p, word);
        break;
    case RP_OP_ADDRESS: if (!p->next) *word = rp_address(p->a, p->b, (int64_t)p->c); break;
    case RP_OP_ADDRESS_NEW: *word = (uint64_t)(uintptr_t)&p->cell; break;
    case RP_OP_VARIABLE: *word = variable(t, p->a); break;
    case RP_OP_INT_IO: *word = (uint64_t)(uintptr_t)&p->cell; break;
    case RP_OP_INTS:
        if (p->a != 8 && p->a != 16 && p->a != 32 && p->a != 64) rp_fail(t, RP_BROKEN, "%s has numbers of %llu bits",
            c->name, (unsigned long long)p->a);
        p->bytes = (uint8_t)(p->a / 8);
        fixed_array(t, p, word);
        break;
    case RP_OP_ADDRESSES: case RP_OP_STATUS_IN:
        p->bytes = 8;
        fixed_array(t, p, word);
        break;
    case RP_OP_STRING: if (!p->next) *word = (uint64_t)(uintptr_t)rp_string(t, p->a); break;
    case RP_OP_STRINGS: *word = (uint64_t)(uintptr_t)string_list(t, rp_array(t, p->b)->words,
        rp_array(t, p->b)->n); break;
    case RP_OP_STRINGS2: *word = (uint64_t)(uintptr_t)string_lists(t, rp_array(t, p->b)); break;
    case RP_OP_ARGV:
        p->room = (char *)string_list(t, rp_array(t, p->b)->words, rp_array(t, p->b)->n);
        *word = (uint64_t)(uintptr_t)&p->cell;
        break;
    case RP_OP_ROOM: case RP_OP_STATUS:
        p->bytes = (uint8_t)(p->op == RP_OP_STATUS ? tb_abi.status_bytes : 1);
        if (p->next) p->a = 1;
        room(t, p, p->a, p->bytes);
        *word = (uint64_t)(uintptr_t)p->room;
        break;
    case RP_OP_CALLBACK: *word = (uint64_t)(uintptr_t)rp_callback(p->a); break;
    default: *word = p->a;
    }
}

/* ---- Which parameters need more ---- */

/* A library may write a handle well before its call returns, and then another thread must not use
 * it yet. But a nonblocking call (MPI_Comm_idup) may write it when its request completes, to where
 * it was told to. */
void rp_param_apart(struct rp_call *c)
{
    int request = 0;
    for (unsigned i = 0; i < c->num_params; i++)
        request |= c->params[i].op == RP_OP_HANDLE_NEW && c->params[i].class == RP_CLASS_REQUEST;
    for (unsigned i = 0; i < c->num_params; i++) {
        struct rp_param *p = &c->params[i];
        p->apart = rp_process.threads > 1 && p->op == RP_OP_HANDLE_NEW && (!request || p->class == RP_CLASS_REQUEST);
    }
}

int rp_param_works_before(const struct rp_param *p)
{
    if (p->next || p->apart) return 1;
    switch (p->op) {
    case RP_OP_HANDLE: return p->slot != NULL;
    case RP_OP_HANDLE_NEW: return p->slot == NULL || is_reference(p);
    case RP_OP_HANDLE_IO: case RP_OP_HANDLES: case RP_OP_HANDLES_NEW: case RP_OP_ADDRESS_NEW: case RP_OP_INT_IO: case RP_OP_ROOM:
    case RP_OP_STATUS_IN: case RP_OP_ARGV: return 1;
    case RP_OP_INTS: return p->c != 0;
    default: return 0;
    }
}

int rp_param_works_after(const struct rp_param *p)
{
    return (p->op == RP_OP_HANDLES && p->class == RP_CLASS_REQUEST && !p->strict) || p->op == RP_OP_HANDLES_NEW ||
        p->op == RP_OP_ADDRESS_NEW ||
           is_reference(p) || p->apart;
}

int rp_param_moves(const struct rp_param *p)
{
    return !p->next && (p->op == RP_OP_ADDRESS || p->op == RP_OP_ADDRESSES);
}

void rp_param_move(struct rp_call *c, struct rp_param *p)
{
    if (p->op == RP_OP_ADDRESS) c->words[p->word] = rp_address(p->a, p->b, (int64_t)p->c);
    else fill_numbers(p);
}

/* Whether the call starts an operation that goes on reading arrays that came with the event. */
int rp_param_keep(struct rp_call *c)
{
    int arrays = 0, request = 0;
    for (unsigned i = 0; i < c->num_params; i++) {
        const struct rp_param *p = &c->params[i];
        arrays |= p->next && (p->op == RP_OP_INTS || p->op == RP_OP_ADDRESSES || p->op == RP_OP_HANDLES);
        request |= p->op == RP_OP_HANDLE_NEW && p->class == RP_CLASS_REQUEST;
    }
    return arrays && request;
}

/* ---- Before each call ---- */

static void next_array(struct rp_thread *t, struct rp_param *p)
{
    uint64_t n = p->op == RP_OP_STATUS_IN ? 4 : rp_next(t), per = (uint64_t)per_number(p), have = 0;
    if (n > UINT64_MAX / 64) rp_fail(t, RP_BROKEN, "an array of %llu elements", (unsigned long long)n);
    for (n *= per; have < n; have++) {
        if (have == p->own_room) p->own = rp_grow(t, p->own, p->own_room = p->own_room ? 2 * p->own_room : 16,
            sizeof *p->own);
        p->own[have] = rp_next(t);
    }
    p->codes = p->own;
    p->n = n / per;
}

/* Values of the event; make is 0 if the call is not made. */
static void next_value(struct rp_thread *t, struct rp_call *c, struct rp_param *p, int make)
{
    uint64_t *word = &c->words[p->word];
    switch (p->op) {
    case RP_OP_HANDLE: case RP_OP_HANDLE_IO: case RP_OP_HANDLE_NEW:
        p->b = rp_next(t);
        p->slot = p->b == (uint64_t)RP_NO_CODE ? NULL : rp_slot(t, p->class, p->b);
        *word = (uint64_t)(uintptr_t)(p->slot ? p->slot : &p->cell);
        break;
    case RP_OP_ADDRESS: case RP_OP_ADDRESS_NEW:
        p->a = rp_next(t), p->b = rp_next(t), p->c = rp_next(t);
        if (p->op == RP_OP_ADDRESS) *word = rp_address(p->a, p->b, (int64_t)p->c);
        break;
    case RP_OP_HANDLES: case RP_OP_HANDLES_NEW: case RP_OP_INTS: case RP_OP_ADDRESSES: case RP_OP_STATUS_IN:
        next_array(t, p);
        if (!make) break;
        array_room(t, p);
        *word = (uint64_t)(uintptr_t)p->room;
        if (has_numbers(p)) fill_numbers(p);
        break;
    case RP_OP_INT_IO: p->b = rp_next(t); break;
    case RP_OP_STRING: *word = (uint64_t)(uintptr_t)rp_string(t, rp_next(t)); break;
    case RP_OP_ROOM: case RP_OP_STATUS:
        p->a = rp_next(t);
        if (make) room(t, p, p->a, p->bytes);
        *word = (uint64_t)(uintptr_t)p->room;
        break;
    default: *word = rp_next(t);
    }
}

/* A handle that is used. */
static int use(struct rp_thread *t, struct rp_call *c, struct rp_param *p)
{
    uint64_t *word = &c->words[p->word], *slot;
    if (!p->slot) {
        p->cell = rp_predefined(p->class, p->b);
        *word = p->op == RP_OP_HANDLE ? p->cell : (uint64_t)(uintptr_t)&p->cell;
        return 1;
    }
    slot = rp_find(t, p->class, p->slot);
    *word = p->op == RP_OP_HANDLE ? *slot : (uint64_t)(uintptr_t)slot;
    if (p->op == RP_OP_HANDLE_IO && p->class == RP_CLASS_KEYVAL) { /* a copy: one that was freed lives on in attributes */
        p->cell = *slot;
        *word = (uint64_t)(uintptr_t)&p->cell;
    }
    return rp_is_live(p->class, *slot) || (p->class == RP_CLASS_REQUEST && !p->strict && *slot != 0);
}

int rp_param_before(struct rp_thread *t, struct rp_call *c, struct rp_param *p, int make)
{
    if (tb_unlikely(p->next)) next_value(t, c, p, make);
    if (!make) return 1;
    switch (p->op) {
    case RP_OP_HANDLE: case RP_OP_HANDLE_IO: return use(t, c, p);
    case RP_OP_HANDLE_NEW:
        if (!p->slot || p->apart) {
            p->cell = p->slot ? rp_null(p->class) : 0;
            c->words[p->word] = (uint64_t)(uintptr_t)&p->cell;
        } else if (is_reference(p)) {
            rp_push_handle(p->class, p->slot);
            __atomic_store_n(p->slot, rp_null(p->class), __ATOMIC_RELEASE);
        }
        break;
    case RP_OP_HANDLES: return fill_handles(t, c, p);
    case RP_OP_HANDLES_NEW: clear_handles(t, p); break;
    case RP_OP_ADDRESS_NEW: p->cell = 0; break;
    case RP_OP_INT_IO: p->cell = p->b; break;
    case RP_OP_ARGV: p->cell = (uint64_t)(uintptr_t)p->room; break;
    case RP_OP_INTS: case RP_OP_STATUS_IN: if (!p->next) fill_numbers(p); break;
    case RP_OP_ROOM: memset(p->room, 0, p->a); break;
    }
    return 1;
}

/* ---- After each call ---- */

/* The window that memory belongs to, which a call gives with it. */
static const uint64_t *window_of(struct rp_call *c)
{
    for (unsigned i = 0; i < c->num_params; i++)
        if (c->params[i].class == RP_CLASS_WIN) return c->params[i].slot;
    return NULL;
}

static void publish(struct rp_param *p)
{
    if (!p->slot || !rp_is_live(p->class, p->cell)) return;
    if (is_reference(p)) rp_push_handle(p->class, p->slot);
    __atomic_store_n(p->slot, p->cell, __ATOMIC_RELEASE);
}

void rp_param_after(struct rp_call *c, struct rp_param *p, int ok)
{
    if (p->apart) {
        if (ok) publish(p);
    } else if (p->op == RP_OP_ADDRESS_NEW) {
        if (ok) rp_bind(p->a, p->b, (int64_t)p->c, p->cell, window_of(c));
    } else if (is_reference(p)) {
        if (p->slot && p->class == RP_CLASS_WIN && p->op == RP_OP_HANDLE_IO && ok) rp_unbind(p->slot, 0);
        if (p->slot) rp_pop_handle(p->class, (uint64_t *)(uintptr_t)c->words[p->word]);
    } else if (ok || p->op == RP_OP_HANDLES) write_back(p);
}

/* What the call would have created does not exist, whatever had its number before. */
void rp_param_unmade(struct rp_thread *t, struct rp_call *c)
{
    for (unsigned i = 0; i < c->num_params; i++) {
        struct rp_param *p = &c->params[i];
        if (p->op == RP_OP_HANDLE_NEW && p->slot) __atomic_store_n(p->slot, 0, __ATOMIC_RELEASE);
        for (uint64_t k = 0; p->op == RP_OP_HANDLES_NEW && k < p->n; k++) {
            uint64_t *slot = rp_slot(t, p->class, p->codes[k]);
            if (slot) __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
        }
    }
}

/* The arrays of this event now belong to the request that the call has created. */
void rp_param_kept(struct rp_thread *t, struct rp_call *c)
{
    uint64_t *request = NULL;
    void **blocks = rp_alloc(t, c->num_params + 1u, sizeof *blocks);
    unsigned n = 0;
    for (unsigned i = 0; i < c->num_params; i++)
        if (c->params[i].op == RP_OP_HANDLE_NEW && c->params[i].class == RP_CLASS_REQUEST) request = c->params[i].slot;
    for (unsigned i = 0; request && i < c->num_params; i++) {
        struct rp_param *p = &c->params[i];
        if (!p->next || !p->room) continue;
        blocks[n++] = p->room;
        p->room = NULL;
        p->room_bytes = 0;
    }
    if (request) rp_keep_with(t, (uint64_t)(request - t->objects.tables[RP_CLASS_REQUEST]), blocks);
    else free(blocks);
}
