/* Modules: the executable and the shared objects of the process. */
#ifndef TABARD_MODULES_H
#define TABARD_MODULES_H
#include "core/api.h"
#include "core/lock.h"

#pragma GCC visibility push(hidden)

enum { TB_MODULE_SELF = TB_MODULE_BINDING + 1 }; /* this library */
struct tb_module {
    uintptr_t low, high;     /* address range */
    uintptr_t bias;          /* load address: what ELF addresses are relative to */
    uint64_t stamp;          /* odd: unloaded */
    const char *path, *name; /* name: as the loader has it */
    char build_id[81];
    uint8_t kind;            /* TB_MODULE_* */
    uint8_t main, libc, announced;
    uint8_t judged;          /* it is known whether this is a traced library */
    uint8_t planned;         /* of functions/loads.c */
    uint8_t extension;       /* TB_EXTENSION_*: it is called by Python, by its path */
    uint32_t number;         /* + 1, 0: not used yet */
    const uint8_t *frame_header, *frame_end; /* .eh_frame_hdr, end of its segment */
    uintptr_t code, code_end; /* executable segment */
    const void *dynamic;      /* ElfW(Dyn), NULL if there is none */
    struct tb_module *next;   /* of python.c */
};
/* TB_EXTENSION_BINDING: its places say nothing, as it does no more than make the call for Python. TB_EXTENSION_PACKAGE:
 * nor do those of the Python code around it, which is in the folder that has the one of the library. */
enum { TB_EXTENSION_NONE, TB_EXTENSION_OWN, TB_EXTENSION_BINDING, TB_EXTENSION_PACKAGE };
struct tb_module *tb_module_of(uintptr_t a);              /* NULL: none */
const char *tb_module_file(const struct tb_module *m);    /* its name without directories */
/* The next loaded one, of those that are known, from place *from on, whose file has a name that
 * begins so. */
struct tb_module *tb_module_named(const char *prefix, unsigned *from);
int tb_modules_refresh(void);                             /* 1: some came or went since */
int tb_module_announce(struct tb_thread *t, struct tb_module *m); /* numbers it; 0: cannot */
/* How many direct calls of the target the code in [low, high) has, counted up to most; *last is where the last of
 * these is. */
int tb_module_calls(const struct tb_module *m, uintptr_t low, uintptr_t high, uintptr_t target, int most,
                    uintptr_t *last);
static inline uint64_t tb_module_word(const struct tb_module *m, uintptr_t a)
{
    return (uint64_t)TB_W_MODULE << 60 | (uint64_t)(m->number - 1) << 40 | (a - m->bias);
}

#pragma GCC visibility pop
#endif
