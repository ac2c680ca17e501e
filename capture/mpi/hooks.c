/* What wrappers of a few functions do besides recording, and what the other rooms see of MPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include "core/api.h"
#include "memory/memory.h"
#include "mpi/library.h"

/* ---- Hooks ---- */

void tb_hook_pcontrol(int level)
{
    if (level >= 0) tb_switch_tracing(level > 0);
}

void tb_hook_info_set(const char *key, const char *value)
{
    static const char *const off[] = {"off", "0", "false"}, *const on[] = {"on", "1", "true"};
    if (!key || !value || strcmp(key, "TABARD_TRACING") != 0) return;
    for (int i = 0; i < 3; i++) {
        if (strcasecmp(value, off[i]) == 0) tb_switch_tracing(0);
        if (strcasecmp(value, on[i]) == 0) tb_switch_tracing(1);
    }
}

int tb_is_spawned(void)
{
    int (*get_parent)(void *) = (int (*)(void *))tb_library_symbol("PMPI_Comm_get_parent");
    uint64_t parent = 0;
    if (!get_parent || get_parent(&parent) != 0) return 0;
    return (parent & tb_abi.handle_mask) != tb_abi.comm_null;
}

static void emit_world(struct tb_thread *t)
{
    int (*get_rank)(uintptr_t, int *) = (int (*)(uintptr_t, int *))tb_library_symbol("PMPI_Comm_rank");
    int (*get_size)(uintptr_t, int *) = (int (*)(uintptr_t, int *))tb_library_symbol("PMPI_Comm_size");
    int rank, size;
    if (!tb_predefined_comm(0) || !get_rank || !get_size) return;
    t->priv->muted++;
    int failed = get_rank(tb_predefined_comm(0), &rank) != 0 || get_size(tb_predefined_comm(0), &size) != 0;
    int spawned = tb_is_spawned();
    tb_process.prints_summary = !failed && rank == 0 && !spawned;
    tb_process.world = 1;
    t->priv->muted--;
    if (failed) return;
    uint64_t payload[2] = {(uint64_t)rank, (uint64_t)size};
    tb_emit(t, TB_R_WORLD, payload, 2);
    if (!spawned) __atomic_add_fetch(&tb_process.control->initialized, 1, __ATOMIC_RELEASE);
}

/* A session has no rank in the job: launchers say it. */
static void session_begins(void)
{
    static const char *const names[] = {"PMIX_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID"};
    const char *rank = NULL;
    for (unsigned i = 0; i < sizeof names / sizeof names[0] && !rank; i++) rank = getenv(names[i]);
    if (!tb_process.world) tb_process.prints_summary = !rank || atoi(rank) == 0;
    tb_process.had_sessions = 1;
    __atomic_add_fetch(&tb_process.sessions, 1, __ATOMIC_RELAXED);
}

void tb_hook_session_end(int ret)
{
    if (ret == 0 && tb_process.state == TB_ACTIVE) __atomic_sub_fetch(&tb_process.sessions, 1, __ATOMIC_RELAXED);
}

void tb_hook_init(struct tb_call *c, int ret)
{
    struct tb_thread *t = tb_current();
    if (!t || ret != 0) return;
    int saved = errno;
    if (strcmp(tb_names[c->id_flags & 0xffff], "MPI_Session_init") != 0) emit_world(t);
    else session_begins();
    tb_emit_clock(t);
    errno = saved;
}

void tb_hook_finalize(struct tb_call *c, int ret)
{
    struct tb_thread *t = tb_current();
    (void)c;
    if (!t || ret != 0 || __atomic_exchange_n(&tb_process.finalized, 1, __ATOMIC_RELAXED)) return;
    if (!tb_process.closed) tb_emit_clock(t);
    tb_process.closed = 1;
    tb_finalized(t);
    __atomic_add_fetch(&tb_process.control->finalized, 1, __ATOMIC_RELEASE);
    tb_bell();
}

void tb_hook_mpi_memory(struct tb_call *c, void *base, int64_t bytes)
{
    if (c->t && base && bytes > 0) tb_range_add((uintptr_t)base, (uint64_t)bytes, TB_MEM_MPI, 0, NULL);
}

void tb_hook_mpi_memory_free(struct tb_call *c, void *base)
{
    if (c->t && base) tb_range_forget((uintptr_t)base, TB_MEM_MPI);
}

/* ---- The API as the core sees it ---- */

static const char *const with_hooks[] = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init",
                                         "MPI_Session_finalize", "MPI_Alloc_mem", "MPI_Free_mem", NULL};

static void add_facts(struct tb_facts *f)
{
    tb_fact(f, "lib", tb_library_version());
    tb_fact(f, "libpath", tb_library_path());
    tb_fact(f, "mpi", (const char *const[]){"unknown", "Open MPI", "MPICH", "MPI 5"}[tb_abi.kind]);
}

void tb_library_late(void)
{
    struct tb_thread *t = tb_current();
    struct tb_facts *f = t && !(t->outer & TB_BUILDING) ? calloc(1, sizeof *f) : NULL;
    if (!f) return;
    int saved = errno;
    t->priv->muted++;
    tb_abi_detect();
    f->used = 1; /* the number of facts comes first */
    add_facts(f);
    f->words[0] = tb_count_word(f->count, TB_A_LIST, 8);
    tb_emit(t, TB_R_PROCESS, f->words, f->used);
    tb_emit_abi(t);
    t->priv->muted--;
    free(f);
    errno = saved;
}

static int starts_with_any(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (strncmp(s, *list, strlen(*list)) == 0) return 1;
    return 0;
}

static int module_kind(const char *file)
{
    static const char *const bindings[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libmpifort", "libmpi_cxx",
                                           "libmpichcxx", "libmpicxx", "libmpichf90", "libmpichf77", "libmpi_f77",
                                           "libmpi_f90", "libmpi++", NULL};
    static const char *const library[] = {"libmpi.so", "libmpich.so", "libmpi_abi.so", "libpmpi.so", "mca_",
                                          "libmca_", "libopen-pal", "libopen-rte", "libprrte", "libpmix", "libpmi.so",
                                          "libpmi2.so", "libompi", "libucp.so", "libuct.so", "libucs.so", "libucm.so",
                                          "libucc.so", "libfabric.so", "libhcoll.so", "libpsm", NULL};
    if (starts_with_any(file, bindings)) return TB_MODULE_BINDING;
    return starts_with_any(file, library) ? TB_MODULE_LIBRARY : TB_MODULE_PLAIN;
}

static int function_named(const char *symbol)
{
    if (strncmp(symbol += *symbol == 'P', "MPI_", 4) != 0) return -1;
    for (unsigned i = 0; i < tb_num_ids; i++)
        if (tb_names[i] && strcmp(tb_names[i], symbol) == 0) return (int)i;
    return -1;
}

const struct tb_api tb_api_mpi = {
    .always = with_hooks,
    .start = tb_abi_detect,
    .add_facts = add_facts,
    .emit_records = tb_emit_abi,
    .module_kind = module_kind,
    .library_address = tb_library_address,
    .hidden_library = tb_library_hidden,
    .function_named = function_named,
};
