//go:build ignore

/* Terminals: what does not change from call to call is worked out once. */
#include <string.h>
#include "executor.h"

static int special_of(const char *name)
{
    if (strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0) return RP_INIT;
    if (strcmp(name, "MPI_File_open") == 0) return RP_FILE_OPEN;
    if (strcmp(name, "MPI_Free_mem") == 0) return RP_FREE_MEM;
    if (strcmp(name, "MPI_Win_create_dynamic") == 0) return RP_WIN_DYNAMIC;
    return strcmp(name, "MPI_Finalize") == 0 ? RP_FINALIZE : RP_PLAIN;
}

/* The function as the dynamic linker gives it to a program, so that a tracer sees the calls; but a
 * tracer has functions that the library lacks. */
static void *function_of(struct rp_thread *t, struct rp_call *c)
{
    char profiling[256];
    if (strlen(c->name) + 2 > sizeof profiling)
        rp_fail(t, RP_BROKEN, "its program has a function with a very long name");
    profiling[0] = 'P';
    strcpy(profiling + 1, c->name);
    int there = c->shim != RP_NO_SHIM ? !rp_shim_missing(c->shim) : rp_library_function(profiling) ||
        rp_library_function(c->name);
    return there ? rp_program_function(c->name) : NULL;
}

static void params(struct rp_thread *t, struct rp_call *c, const uint64_t *w)
{
    c->params = rp_alloc(t, c->num_params, sizeof *c->params);
    c->before = rp_alloc(t, c->num_params, sizeof *c->before);
    c->after = rp_alloc(t, c->num_params, sizeof *c->after);
    for (unsigned i = 0; i < c->num_params; i++, w += RP_PARAM_WORDS) {
        struct rp_param *p = &c->params[i];
        uint64_t op = w[RP_PARAM_OP] & ~RP_NEXT;
        if (op >= RP_OP_END || w[RP_PARAM_OP] >= 2 * RP_NEXT)
            rp_fail(t, RP_BROKEN, "parameter %u of %s is of unknown kind %llu", i, c->name,
                (unsigned long long)w[RP_PARAM_OP]);
        p->op = (uint8_t)op;
        p->next = (w[RP_PARAM_OP] & RP_NEXT) != 0;
        p->word = (uint8_t)i;
        p->a = w[RP_PARAM_A], p->b = w[RP_PARAM_B], p->c = w[RP_PARAM_C];
        rp_param_fixed(t, c, p);
    }
    rp_param_apart(c);
    for (unsigned i = 0; i < c->num_params; i++) {
        struct rp_param *p = &c->params[i];
        if (rp_param_works_before(p)) c->before[c->num_before++] = p;
        if (rp_param_works_after(p)) c->after[c->num_after++] = p;
        c->moves |= rp_param_moves(p);
    }
    c->keeps = (uint8_t)rp_param_keep(c);
    c->epoch = __atomic_load_n(&rp_epoch, __ATOMIC_ACQUIRE);
}

void rp_compile(struct rp_thread *t, struct rp_call *c, const uint64_t *header, const uint64_t *words)
{
    c->name = rp_string(t, header[RP_TERMINAL_NAME]);
    c->text = rp_string(t, header[RP_TERMINAL_TEXT]);
    c->flags = (uint32_t)header[RP_TERMINAL_FLAGS];
    c->outcome = (uint32_t)header[RP_TERMINAL_OUTCOME];
    c->outcome_param = (uint32_t)header[RP_TERMINAL_OUTCOME_PARAM];
    c->num_params = (uint16_t)header[RP_TERMINAL_PARAMS];
    c->site = rp_sites + header[RP_TERMINAL_SITE] % RP_SITES * 8;
    c->special = (uint8_t)special_of(c->name);
    if (c->flags & RP_CALL_REMOTE) c->special = RP_REMOTE;
    c->shim = rp_shim_of(c->name);
    if (header[RP_TERMINAL_OUTCOME] > RP_OUTCOME_SOME)
        rp_fail(t, RP_BROKEN, "%s has an outcome of unknown kind %llu", c->name,
            (unsigned long long)header[RP_TERMINAL_OUTCOME]);
    if (c->flags & (RP_CALL_UNTIL | RP_CALL_REMOTE) && c->outcome_param >= c->num_params)
        rp_fail(t, RP_BROKEN, "the outcome of %s is in parameter %u of %u", c->name, c->outcome_param, c->num_params);
    if (c->outcome != RP_OUTCOME_FREE && c->shim == RP_NO_SHIM) rp_fail(t, RP_BROKEN,
        "the outcome of %s cannot be forced", c->name);
    if (!(c->flags & RP_CALL_SKIP)) {
        c->function = function_of(t, c);
        if (!c->function) {
            rp_say("rank %d: %s has no %s: these calls are left out", rp_process.rank, rp_process.library_path,
                c->name);
            c->flags |= RP_CALL_SKIP;
        }
    }
    params(t, c, words);
}
