/* Which functions are recorded, and how: as what begins and ends, by the names of module and function, and the
 * place. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/ids.h"
#include "core/lock.h"
#include "core/point.h"
#include "python/python.h"

/* What is known of a function, which the interpreter keeps with its code; key is no other's, also after it is gone. */
struct tb_py_function { uintptr_t key; char *from; int generates; char name[]; };
static struct tb_py_function not_chosen;
static uintptr_t keys = TB_KEY_ALONE;     /* given out */

static long extra;                        /* where */
static int (*get_extra)(void *, long, void **);
static int (*set_extra)(void *, long, void *);
static char chosen[4096];                 /* modules, separated by commas; empty: all that are not installed; *: all */

/* So many functions of the calling thread are open: one that was running when recording began ends without one. */
static TB_TLS unsigned depth;

static void forget(void *p)
{
    if (p != &not_chosen) free(p);
}

int tb_py_functions_start(void)
{
    const char *modules = getenv("TABARD_PYTHON");
    snprintf(chosen, sizeof chosen, "%s", modules ? modules : "");
    get_extra = tb_py.PyUnstable_Code_GetExtra ? tb_py.PyUnstable_Code_GetExtra : tb_py._PyCode_GetExtra;
    set_extra = tb_py.PyUnstable_Code_SetExtra ? tb_py.PyUnstable_Code_SetExtra : tb_py._PyCode_SetExtra;
    long (*request)(void (*)(void *)) = tb_py.PyUnstable_Eval_RequestCodeExtraIndex
                                            ? tb_py.PyUnstable_Eval_RequestCodeExtraIndex
                                            : tb_py._PyEval_RequestCodeExtraIndex;
    return get_extra && set_extra && request && (extra = request(forget)) >= 0;
}

/* ---- Which ---- */

static int is_named(const char *module)
{
    for (const char *at = chosen; *at;) {
        size_t n = strcspn(at, ",");
        if (n == 1 && *at == '*') return 1;
        if (n && strncmp(module, at, n) == 0 && (!module[n] || module[n] == '.')) return 1;
        at += n + (at[n] == ',');
    }
    return 0;
}

/* Files of the interpreter and of what is installed; names in brackets are of code without a file. */
static int is_installed(const char *file)
{
    return file[0] == '<' || strstr(file, "/lib/python3") || strstr(file, "/site-packages/") ||
           strstr(file, "/dist-packages/");
}

/* The text of an attribute, until the code is gone: the code keeps it. */
static const char *text(void *code, const char *attribute)
{
    void *o = tb_py.PyObject_GetAttrString(code, attribute);
    const char *s = o ? tb_py.PyUnicode_AsUTF8(o) : NULL;
    if (o) tb_py.Py_DecRef(o);
    return s;
}

static long number(void *code, const char *attribute)
{
    void *o = tb_py.PyObject_GetAttrString(code, attribute);
    long v = o ? tb_py.PyLong_AsLong(o) : 0;
    if (o) tb_py.Py_DecRef(o);
    return v;
}

enum { GENERATES = 0x20 | 0x80 | 0x200 }; /* of co_flags: CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR */

static struct tb_py_function *describe(void *code, const char *module, const char *file)
{
    const char *name = text(code, "co_qualname");
    if (!name) name = text(code, "co_name");
    long line = number(code, "co_firstlineno");
    if (!name) return NULL;
    size_t names = strlen(module) + strlen(name) + 2, bytes = names + strlen(file) + 24;
    struct tb_py_function *f = malloc(sizeof *f + bytes);
    if (!f) return NULL;
    f->key = __atomic_add_fetch(&keys, 1, __ATOMIC_RELAXED);
    f->generates = (number(code, "co_flags") & GENERATES) != 0;
    f->from = f->name + names;
    snprintf(f->name, names, "%s.%s", module, name);
    snprintf(f->from, bytes - names, "%s:%ld", file, line);
    return f;
}

static TB_COLD struct tb_py_function *learn(void *code, void *frame)
{
    void *type, *value, *trace;
    tb_py.PyErr_Fetch(&type, &value, &trace);
    void *globals = frame ? tb_py_frame_globals(frame) : tb_py.PyEval_GetGlobals();
    void *o = globals ? tb_py.PyDict_GetItemString(globals, "__name__") : NULL;
    const char *module = o ? tb_py.PyUnicode_AsUTF8(o) : NULL, *file = text(code, "co_filename");
    struct tb_py_function *f = NULL;
    if (!module) module = "?";
    if (file && (chosen[0] ? is_named(module) : !is_installed(file))) f = describe(code, module, file);
    if (!f) f = &not_chosen;
    if (set_extra(code, extra, f) != 0) {
        forget(f);
        f = &not_chosen;
    }
    tb_py.PyErr_Restore(type, value, trace);
    return f;
}

const struct tb_py_function *tb_py_chosen(void *code, void *frame)
{
    void *f = NULL;
    get_extra(code, extra, &f);
    if (tb_unlikely(!f)) f = learn(code, frame);
    return f == &not_chosen ? NULL : f;
}

int tb_py_generates(const struct tb_py_function *f) { return f->generates; }

/* ---- Events ---- */

static inline int is_off(int id) { return tb_unlikely(tb_gate[id] == TB_GATE_SKIP || tb_process.finalized); }

static TB_COLD void record(int id, uintptr_t key, const char *name, const char *from, void *ra, void *frame)
{
    struct tb_call c;
    if (!tb_enter(&c, id, 0, ra, frame, 0)) return;
    if (name) tb_put_string(&c, name);
    if (from) tb_put_string(&c, from);
    tb_instant(&c);
    tb_point_remember(&c, key);
}

void tb_py_begin(const struct tb_py_function *f)
{
    depth++;
    if (is_off(TB_ID_python_begin) || tb_likely(tb_point_again(TB_ID_python_begin, f->key))) return;
    record(TB_ID_python_begin, f->key, f->name, f->from, __builtin_return_address(0), TB_FRAME());
}

void tb_py_end(void)
{
    if (!depth) return;
    depth--;
    if (is_off(TB_ID_python_end) || tb_likely(tb_point_again(TB_ID_python_end, TB_KEY_ALONE))) return;
    record(TB_ID_python_end, TB_KEY_ALONE, NULL, NULL, __builtin_return_address(0), TB_FRAME());
}
