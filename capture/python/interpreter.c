/* How the interpreter comes to tell of its functions. An audit hook, which may be added before there is an interpreter,
 * finds the first moment when there is one. From Python 3.12 on its own interface for tools takes over (monitoring.c);
 * before, a function that evaluates frames (evaluation.c), or, where that does not see all, each thread has a profile
 * function, as sys.setprofile sets one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include "core/ids.h"
#include "python/python.h"

struct tb_py tb_py;

enum { NEW, BUSY, TOLD, PROFILED, OFF };
static int state;
static uint64_t newest; /* id of the thread that was looked at last */

static int find_python(void)
{
    int all = 1;
#define FIND(result, name, parameters) all &= (tb_py.name = (result(*) parameters)dlsym(RTLD_DEFAULT, #name)) != NULL;
    TB_PY_FUNCTIONS(FIND)
    int needed = all;
    TB_PY_OPTIONAL(FIND)
#undef FIND
    return needed;
}

/* What a profile function is told of: PyTrace_*. */
enum { CALL = 0, RETURN = 3 };

static int profile(void *object, void *frame, int what, void *argument)
{
    (void)object, (void)argument;
    if (what != CALL && what != RETURN) return 0;
    void *code = tb_py.PyFrame_GetCode(frame);
    const struct tb_py_function *f = tb_py_chosen(code, NULL);
    if (f && what == CALL) tb_py_begin(f);
    else if (f) tb_py_end();
    tb_py.Py_DecRef(code);
    return 0;
}

/* The profile function of threads that came since the last time; the newest is the head of the list. One that the
 * program has set itself, in a thread that was seen, stays. With the interpreter's lock. */
static void profile_threads(void)
{
    void *t = tb_py.PyInterpreterState_ThreadHead(tb_py.PyInterpreterState_Get());
    uint64_t since = newest;
    if (t && tb_py.PyThreadState_GetID(t) > newest) newest = tb_py.PyThreadState_GetID(t);
    for (; t && tb_py.PyThreadState_GetID(t) > since; t = tb_py.PyThreadState_Next(t))
        tb_py._PyEval_SetProfile(t, profile, NULL);
}

static int can_profile(void)
{
    return tb_py._PyEval_SetProfile && tb_py.PyFrame_GetCode && tb_py.PyInterpreterState_Get &&
           tb_py.PyInterpreterState_ThreadHead && tb_py.PyThreadState_Next && tb_py.PyThreadState_GetID;
}

static int begin(void)
{
    void *monitoring = tb_py.PySys_GetObject("monitoring");
    if (!tb_py_functions_start()) return OFF;
    if (monitoring ? tb_py_monitor(monitoring) : tb_py_evaluate()) return TOLD;
    return can_profile() ? PROFILED : OFF;
}

/* What is done here may set errors, and raises events of its own. */
static void look(void)
{
    static int looking;
    void *type, *value, *trace;
    if (looking) return;
    looking = 1;
    tb_py.PyErr_Fetch(&type, &value, &trace);
    if (state == NEW) {
        state = BUSY;
        state = begin();
    }
    if (state == PROFILED) profile_threads();
    tb_py.PyErr_Restore(type, value, trace);
    looking = 0;
}

static int audit(const char *event, void *arguments, void *data)
{
    (void)event, (void)arguments, (void)data;
    if ((state == NEW || state == PROFILED) && tb_py.Py_IsInitialized() && tb_py.PyGILState_Check()) look();
    return 0;
}

static void loaded(void)
{
    if (!tb_is_chosen(TB_ID_python_begin) || !find_python()) return;
    tb_py.PySys_AddAuditHook(audit, NULL);
}

/* A thread of Python is in the interpreter's list before it is created. */
static void thread_is_created(void)
{
    if (state == PROFILED && tb_py.PyGILState_Check()) look();
}

const struct tb_api tb_api_python = {.loaded = loaded, .thread_is_created = thread_is_created};
