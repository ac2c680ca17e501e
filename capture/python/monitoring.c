/* sys.monitoring: the interpreter tells of all functions of all threads, and of those that are not chosen once. */
#include <stdlib.h>
#include "python/python.h"

typedef void *callback(void *self, void *const *arguments, long n);
struct method { const char *name; callback *function; int flags; const char *doc; };
enum { FASTCALL = 0x80 };
enum { TOOL_FIRST = 3, TOOL_LAST = 4 }; /* the numbers of tools that are nobody's */

static void *none, *disable; /* objects that live as long as the interpreter */

static void *begins(void *self, void *const *arguments, long n)
{
    (void)self;
    const struct tb_py_function *f = n < 1 ? NULL : tb_py_chosen(arguments[0], NULL);
    if (!f) return disable;
    tb_py_begin(f);
    return none;
}

static void *ends(void *self, void *const *arguments, long n)
{
    (void)self;
    if (n < 1 || !tb_py_chosen(arguments[0], NULL)) return disable;
    tb_py_end();
    return none;
}

/* These cannot be switched off for a function. */
static void *thrown(void *self, void *const *arguments, long n)
{
    begins(self, arguments, n);
    return none;
}

static void *unwound(void *self, void *const *arguments, long n)
{
    ends(self, arguments, n);
    return none;
}

static struct method methods[] = {
    {"PY_START", begins, FASTCALL, NULL}, {"PY_RESUME", begins, FASTCALL, NULL}, {"PY_RETURN", ends, FASTCALL, NULL},
    {"PY_YIELD", ends, FASTCALL, NULL},   {"PY_THROW", thrown, FASTCALL, NULL},  {"PY_UNWIND", unwound, FASTCALL, NULL},
};
enum { METHODS = sizeof methods / sizeof *methods };

static int is_ok(void *result)
{
    if (result) tb_py.Py_DecRef(result);
    return result != NULL;
}

static long event_of(void *events, const char *name)
{
    void *number = tb_py.PyObject_GetAttrString(events, name);
    long v = number ? tb_py.PyLong_AsLong(number) : 0;
    is_ok(number);
    return v;
}

static int free_tool(void *monitoring)
{
    for (int tool = TOOL_LAST; tool >= TOOL_FIRST; tool--)
        if (is_ok(tb_py.PyObject_CallMethod(monitoring, "use_tool_id", "is", tool, "tabard"))) return tool;
    return 0;
}

int tb_py_monitor(void *monitoring)
{
    void *events = tb_py.PyObject_GetAttrString(monitoring, "events");
    disable = tb_py.PyObject_GetAttrString(monitoring, "DISABLE");
    int tool = events && disable && tb_py.PyCFunction_NewEx ? free_tool(monitoring) : 0, ok = tool != 0;
    long all = 0;
    for (int i = 0; ok && i < METHODS; i++) {
        long event = event_of(events, methods[i].name);
        void *f = tb_py.PyCFunction_NewEx(&methods[i], NULL, NULL);
        /* The result is what was registered before: nothing. */
        void *before = f ? tb_py.PyObject_CallMethod(monitoring, "register_callback", "ilO", tool, event, f) : NULL;
        if (f) tb_py.Py_DecRef(f);
        if ((ok = event && before)) none = before;
        all |= event;
    }
    ok = ok && is_ok(tb_py.PyObject_CallMethod(monitoring, "set_events", "il", tool, all));
    if (events) tb_py.Py_DecRef(events);
    return ok;
}
