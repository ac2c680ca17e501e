/* Functions of libraries, by their names: those that stand behind ours of the same name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/core.h"

struct names {
    char path[256][512];
    int count;
};

static int collect_name(struct dl_phdr_info *info, size_t size, void *data)
{
    struct names *n = data;
    (void)size;
    if (!info->dlpi_name[0] || n->count == 256 || strlen(info->dlpi_name) >= sizeof n->path[0]) return 0;
    const char *base = strrchr(info->dlpi_name, '/');
    if (strncmp(base ? base + 1 : info->dlpi_name, "lib", 3) == 0) strcpy(n->path[n->count++], info->dlpi_name);
    return 0;
}

/* Whether this object itself, not one that it depends on, defines the address. */
static int defines(void *address, const char *path)
{
    Dl_info info;
    return address && dladdr(address, &info) && info.dli_fname && strcmp(info.dli_fname, path) == 0;
}

void *tb_local_library(const char *function)
{
    struct names *n = calloc(1, sizeof *n);
    void *found = NULL;
    if (!n) return NULL;
    dl_iterate_phdr(collect_name, n);
    Dl_info own;
    if (!dladdr((void *)tb_local_library, &own)) own.dli_fname = "";
    for (int i = 0; i < n->count && !found; i++) {
        if (strcmp(n->path[i], own.dli_fname) == 0) continue;
        void *h = dlopen(n->path[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!h) continue;
        if (defines(dlsym(h, function), n->path[i])) found = h;
        else dlclose(h);
    }
    free(n);
    return found;
}

void *tb_symbol_behind(const char *name)
{
    void *p = dlsym(RTLD_NEXT, name);
    void *h = p ? NULL : tb_local_library(name);
    return h ? dlsym(h, name) : p;
}

void tb_unresolved(const char *name, const char *library)
{
    dprintf(2, "%s: symbol lookup error: undefined symbol: %s (needed by the program, not in %s)\n",
            program_invocation_name, name, library);
    _exit(127); /* as the dynamic linker does */
}
