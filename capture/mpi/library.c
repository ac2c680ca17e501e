/* The real MPI library: where it is, which functions it has. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/api.h"
#include "core/core.h"
#include "mpi/library.h"
#include "mpi/gen/wrap.h"

/* ---- Finding functions ---- */

static void *local_library; /* kept open once found */

void *tb_library_symbol(const char *name)
{
    void *p = local_library ? dlsym(local_library, name) : dlsym(RTLD_NEXT, name);
    if (p || local_library || dlsym(RTLD_NEXT, "PMPI_Init")) return p;
    void *h = tb_local_library("PMPI_Init");
    if (!h) return NULL;
    local_library = h; /* two threads may both get here: the same handle */
    return dlsym(h, name);
}

const void *tb_library_address(void)
{
    static void *address;
    if (!address) address = tb_library_symbol("PMPI_Init");
    return address;
}

static int linked; /* the library was there when the program began */

__attribute__((constructor)) static void see_library(void)
{
    linked = getenv("TABARD_DIR") && dlsym(RTLD_NEXT, "PMPI_Init");
}

int tb_library_hidden(void) { return !linked && tb_library_address(); }

const char *tb_library_path(void)
{
    Dl_info info;
    const void *a = tb_library_address();
    return a && dladdr((void *)a, &info) && info.dli_fname ? info.dli_fname : "";
}

void *tb_resolve(int id)
{
    char profiling[128];
    if (tb_abi.kind == 0 && tb_process.state == TB_ACTIVE) tb_library_late();
    const char *name = tb_names[id];
    int is_mpi = strncmp(name, "MPI", 3) == 0;
    snprintf(profiling, sizeof profiling, "P%s", name);
    void *p = is_mpi ? tb_library_symbol(profiling) : NULL;
    if (!p) p = tb_library_symbol(name);
    if (!p && !is_mpi) p = tb_symbol_behind(name);
    for (const struct tb_api *const *api = tb_apis; !p && *api; api++) {
        void *instead = (*api)->missing ? (*api)->missing(name) : NULL;
        if (instead) return instead; /* the real one may be loaded later */
    }
    if (p) {
        __atomic_store_n(&tb_real[id], p, __ATOMIC_RELEASE);
        return p;
    }
    tb_unresolved(name, is_mpi ? "its MPI library" : "a library that is loaded");
}

/* ---- What the library looks like ---- */

typedef int text_function(char *, int *);

static const char *library_version(void)
{
    static char text[8192 + 1];
    int n = 0;
    text_function *f = (text_function *)tb_library_symbol("PMPI_Get_library_version");
    if (!text[0] && f && f(text, &n) != 0) text[0] = 0;
    return text;
}

const char *tb_library_version(void)
{
    static char line[256];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(library_version(), "\n"), library_version());
    return line;
}

/* Variables of the library may live in the program (copy relocation): the
 * program's view comes first. */
void *tb_library_variable(const char *name)
{
    void *p = dlsym(RTLD_DEFAULT, name);
    return p ? p : tb_library_symbol(name);
}

static uint64_t handle_of(const struct tb_predefined *p)
{
    if (tb_abi.kind == 1) {
        uint64_t a = p->openmpi ? (uint64_t)(uintptr_t)tb_library_variable(p->openmpi) : 0;
        return a ? a : TB_NO_HANDLE;
    }
    return tb_abi.kind == 2 ? p->mpich : p->mpi5;
}

uint64_t tb_predefined_handle(uint32_t index)
{
    for (unsigned i = 0; i < tb_num_predefineds; i++)
        if (tb_predefineds[i].index == index) return handle_of(&tb_predefineds[i]);
    return TB_NO_HANDLE;
}

/* MPI_COMM_WORLD, or MPI_COMM_SELF; 0 while the library is unknown. */
uintptr_t tb_predefined_comm(int self)
{
    static uintptr_t known[2];
    uint32_t index = self ? TB_PREDEFINED_MPI_COMM_SELF : TB_PREDEFINED_MPI_COMM_WORLD;
    if (tb_likely(known[self] != 0) || tb_abi.kind == 0) return known[self];
    for (unsigned i = 0; i < tb_num_predefineds; i++)
        if (tb_predefineds[i].index == index && handle_of(&tb_predefineds[i]) != TB_NO_HANDLE)
            known[self] = (uintptr_t)handle_of(&tb_predefineds[i]);
    return known[self];
}

void tb_emit_abi(struct tb_thread *t)
{
    unsigned n = 3, size = 3 + 2 * tb_num_predefineds;
    uint64_t *payload = tb_abi.kind ? malloc(size * sizeof *payload) : NULL;
    if (!payload) return;
    for (unsigned i = 0; i < tb_num_predefineds; i++) {
        uint64_t handle = handle_of(&tb_predefineds[i]);
        if (handle == TB_NO_HANDLE) continue;
        payload[n++] = tb_predefineds[i].index;
        payload[n++] = handle;
    }
    payload[0] = (uint64_t)tb_abi.kind;
    payload[1] = (uint64_t)tb_abi.handle_bytes * 8;
    payload[2] = (uint64_t)(n - 3) | (uint64_t)TB_A_PLAIN << 48 | (uint64_t)8 << 56;
    tb_emit(t, TB_R_ABI, payload, n);
    free(payload);
}
