/* NCCL and RCCL as the core sees them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include "core/api.h"
#include "nccl/nccl.h"
#include "core/ids.h"

static int is_ours(const char *symbol) { return strncmp(symbol + (*symbol == 'p'), "nccl", 4) == 0; }

/* Stands for a function that no loaded library has: NCCL's "unhandled system error". A program may find our names with
 * dlsym, and take them for those of a library that is there. */
static int refuse(void) { return 2; }

static void *missing(const char *symbol) { return is_ours(symbol) ? (void *)refuse : NULL; }

static void add_facts(struct tb_facts *f)
{
    char text[32];
    int version = 0;
    int (*get)(int *) = NULL;
    if (tb_gate[TB_ID_ncclGetVersion] != TB_GATE_SKIP) get = (int (*)(int *))dlsym(RTLD_NEXT, "ncclGetVersion");
    if (!get || get(&version) != 0) return;
    snprintf(text, sizeof text, "%d", version);
    tb_fact(f, "nccl", text);
}

static int module_kind(const char *file)
{
    int ours = strncmp(file, "libnccl.so", 10) == 0 || strncmp(file, "librccl.so", 10) == 0;
    return ours ? TB_MODULE_LIBRARY : TB_MODULE_PLAIN;
}

static int function_named(const char *symbol)
{
    if (!is_ours(symbol)) return -1;
    for (unsigned i = 0; i < tb_num_ids; i++)
        if (tb_names[i] && strcmp(tb_names[i], symbol + (*symbol == 'p')) == 0) return (int)i;
    return -1;
}

const struct tb_api tb_api_nccl = {
    .add_facts = add_facts,
    .module_kind = module_kind,
    .function_named = function_named,
    .missing = missing,
};
