//go:build ignore

/* A program into memory. What is allocated grows with what has been read, whatever counts the
 * program claims. */
#include <stdlib.h>
#include <string.h>
#include "executor.h"

enum { MAX_PARAMS = RP_MAX_WORDS, MAX_HEADER = 1024, FIRST = 64 };

void *rp_alloc(struct rp_thread *t, uint64_t n, uint64_t bytes)
{
    void *p = calloc(n ? n : 1, bytes ? bytes : 1);
    if (!p) rp_fail(t, RP_BROKEN, "there is no memory for %llu elements of %llu bytes", (unsigned long long)n,
        (unsigned long long)bytes);
    return p;
}

void *rp_grow(struct rp_thread *t, void *p, uint64_t n, uint64_t bytes)
{
    void *q = bytes && n > SIZE_MAX / bytes ? NULL : realloc(p, n * bytes);
    if (!q) rp_fail(t, RP_BROKEN, "there is no memory for %llu elements of %llu bytes", (unsigned long long)n,
        (unsigned long long)bytes);
    return q;
}

const char *rp_string(struct rp_thread *t, uint64_t number)
{
    if (number >= t->num_strings) rp_fail(t, RP_BROKEN, "its program has no string %llu", (unsigned long long)number);
    return t->strings[number];
}

const struct rp_array *rp_array(struct rp_thread *t, uint64_t number)
{
    if (number >= t->num_arrays) rp_fail(t, RP_BROKEN, "its program has no array %llu", (unsigned long long)number);
    return &t->arrays[number];
}

static void header(struct rp_thread *t)
{
    if (rp_next(t) != RP_MAGIC) rp_fail(t, RP_BROKEN, "what comes through descriptor %d is no program of tabard replay",
        t->fd);
    uint64_t version = rp_next(t), words = rp_next(t);
    if (version != 1) rp_fail(t, RP_BROKEN, "its program has version %llu, this executor knows 1",
        (unsigned long long)version);
    if (words < RP_HEADER_END - RP_HEADER_THREAD || words > MAX_HEADER)
        rp_fail(t, RP_BROKEN, "its program has a header of %llu words", (unsigned long long)words);
    t->header[RP_HEADER_VERSION] = version;
    t->header[RP_HEADER_WORDS] = words;
    for (uint64_t i = 0; i < words; i++) {
        uint64_t w = rp_next(t);
        if (RP_HEADER_THREAD + i < RP_HEADER_END) t->header[RP_HEADER_THREAD + i] = w;
    }
    t->number = (int)t->header[RP_HEADER_THREAD];
}

/* An array of elements that grows as they are read. */
#define PUSH(t, list, n, room) \
    do { \
        if ((n) == (room)) (list) = rp_grow(t, list, (room) = (room) ? 2 * (room) : FIRST, sizeof *(list)); \
        (n)++; \
    } while (0)

static uint64_t *words(struct rp_thread *t, uint64_t n)
{
    uint64_t *list = NULL, have = 0, room = 0;
    while (have < n) {
        PUSH(t, list, have, room);
        list[have - 1] = rp_next(t);
    }
    return list;
}

static void strings(struct rp_thread *t)
{
    uint64_t n = rp_next(t), room = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t bytes = rp_next(t), w = bytes / 8 + (bytes % 8 != 0);
        char *s = (char *)words(t, w);
        s = rp_grow(t, s, bytes + 1, 1);
        s[bytes] = 0;
        PUSH(t, t->strings, t->num_strings, room);
        t->strings[i] = s;
    }
}

static void arrays(struct rp_thread *t)
{
    uint64_t n = rp_next(t), room = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t count = rp_next(t);
        uint64_t *list = words(t, count);
        PUSH(t, t->arrays, t->num_arrays, room);
        t->arrays[i] = (struct rp_array){count, list};
    }
}

/* Terminals point into themselves, so they are compiled when all are there. */
static void terminals(struct rp_thread *t)
{
    uint64_t n = rp_next(t), room = 0, have = 0;
    struct raw { uint64_t header[RP_TERMINAL_END], *params; } *raw = NULL;
    for (uint64_t i = 0; i < n; i++) {
        PUSH(t, raw, have, room);
        for (int k = 0; k < RP_TERMINAL_END; k++) raw[i].header[k] = rp_next(t);
        uint64_t params = raw[i].header[RP_TERMINAL_PARAMS];
        if (params > MAX_PARAMS) rp_fail(t, RP_BROKEN, "a call of its program has %llu parameters",
            (unsigned long long)params);
        raw[i].params = words(t, params * RP_PARAM_WORDS);
    }
    t->terminals = rp_alloc(t, n, sizeof *t->terminals);
    for (t->num_terminals = 0; t->num_terminals < n; t->num_terminals++) {
        struct raw *r = &raw[t->num_terminals];
        rp_compile(t, &t->terminals[t->num_terminals], r->header, r->params);
        free(r->params);
    }
    free(raw);
}

static void rules(struct rp_thread *t)
{
    uint64_t n = rp_next(t), room = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t symbols = rp_next(t), have = 0, some = 0;
        struct rp_symbol *list = NULL;
        for (uint64_t k = 0; k < symbols; k++) {
            uint64_t id = rp_next(t), count = rp_next(t), number = id & ~RP_RULE;
            if (id >= 2 * RP_RULE || number >= (id & RP_RULE ? n : t->num_terminals))
                rp_fail(t, RP_BROKEN, "symbol %llu of rule %llu of its program is unknown", (unsigned long long)k,
                    (unsigned long long)i);
            if (count == 0) continue;
            PUSH(t, list, have, some);
            list[have - 1] = (struct rp_symbol){(uint32_t)id, count};
        }
        PUSH(t, t->rules, t->num_rules, room);
        t->rules[i] = (struct rp_rule){have, list};
    }
    if (n == 0) rp_fail(t, RP_BROKEN, "its program has no rules");
}

static void drop_empty(struct rp_thread *t, struct rp_rule *r)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        uint32_t id = r->symbols[i].id;
        if (!(id & RP_RULE) || t->rules[id & ~RP_RULE].n > 0) r->symbols[n++] = r->symbols[i];
    }
    r->n = n;
}

/* A rule that contains itself would never end, and repeating nothing may take as long. Rules are
 * visited depth first, without recursion. */
static void check_rules(struct rp_thread *t)
{
    struct { uint32_t rule; uint64_t next; } *stack = rp_alloc(t, t->num_rules, sizeof *stack);
    unsigned char *state = rp_alloc(t, t->num_rules, 1); /* 1: on the stack, 2: done */
    uint64_t depth = 1;
    state[0] = 1;
    while (depth > 0) {
        struct rp_rule *r = &t->rules[stack[depth - 1].rule];
        if (stack[depth - 1].next == r->n) {
            drop_empty(t, r);
            state[stack[--depth].rule] = 2;
            continue;
        }
        uint32_t id = r->symbols[stack[depth - 1].next++].id;
        uint32_t rule = (uint32_t)(id & ~RP_RULE);
        if (!(id & RP_RULE) || state[rule] == 2) continue;
        if (state[rule] == 1) rp_fail(t, RP_BROKEN, "rule %u of its program contains itself", rule);
        state[rule] = 1;
        stack[depth].rule = rule;
        stack[depth++].next = 0;
    }
    free(stack);
    free(state);
}

void rp_load(struct rp_thread *t)
{
    t->at = t->end = t->buffer;
    header(t);
    strings(t);
    arrays(t);
    if (t == rp_process.thread[0]) rp_process_begins(t);
    terminals(t);
    rules(t);
    check_rules(t);
}
