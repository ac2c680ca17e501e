/* Python 3.9 to 3.11: what evaluates frames (PEP 523) is a function of ours around the interpreter's own. Unlike a
 * profile function it costs nothing but at begins and ends, it sees all threads, and the program's own profilers stay.
 *
 * Python 3.11 calls Python functions inside of one evaluation, but not while there is such a function: then each call
 * takes space on the stack, as in versions before. So that no program that recurses deeply runs out of it, calls are
 * seen in the first part of the stack only. */
#define _GNU_SOURCE
#include "core/ids.h"
#include "core/lock.h"
#include "python/python.h"

enum { PART = 4,               /* the part of a thread's stack where calls are seen */
       UNKNOWN_PART = 1 << 18  /* if its size is not known: so many bytes */ };

/* Of the interpreter's own frames in 3.11, which have no function that tells: words, and a byte. */
enum { FRAME_GLOBALS = 1, FRAME_CODE = 4, FRAME_OWNER = 69, OWNER_THREAD = 0 };

static void *(*next)(void *thread, void *frame, int thrown); /* the interpreter's, or of who was here before */
static int own_frames; /* the interpreter has frames of its own, and does without stack for calls */

/* Where the seen part of the calling thread's stack ends. */
#define UNSET (~(uintptr_t)0)
static TB_TLS uintptr_t lowest = UNSET;

static void *evaluate(void *thread, void *frame, int thrown);

static void set_evaluation(void *from, void *to)
{
    void *interpreter = tb_py.PyInterpreterState_Get();
    if (tb_py._PyInterpreterState_GetEvalFrameFunc(interpreter) == from)
        tb_py._PyInterpreterState_SetEvalFrameFunc(interpreter, to);
}

static uintptr_t lowest_of(const struct tb_thread *t, uintptr_t here)
{
    uintptr_t low = t->priv->stack_low, high = t->priv->stack_high;
    return here >= low && here < high ? high - (high - low) / PART : here - UNKNOWN_PART;
}

/* The first function of a thread, or one that is too deep in the stack: until it ends nobody's calls are seen. */
static TB_COLD void *evaluate_unseen(void *thread, void *frame, int thrown, uintptr_t here)
{
    uint64_t lost = 1;
    struct tb_thread *t = tb_current();
    if (!t) { /* a forked child, for one */
        if (tb_process.state == TB_INERT) set_evaluation((void *)evaluate, (void *)next);
        return next(thread, frame, thrown);
    }
    if (lowest == UNSET) lowest = lowest_of(t, here);
    if (here >= lowest) return evaluate(thread, frame, thrown);
    if (!t->priv->muted) tb_emit(t, TB_R_LOST, &lost, 1);
    set_evaluation((void *)evaluate, (void *)next);
    void *result = next(thread, frame, thrown);
    set_evaluation((void *)next, (void *)evaluate);
    return result;
}

static inline void *code_of(void *frame)
{
    if (own_frames) return ((void **)frame)[FRAME_CODE];
    void *code = tb_py.PyFrame_GetCode(frame);
    tb_py.Py_DecRef(code); /* the frame has it */
    return code;
}

void *tb_py_frame_globals(void *frame)
{
    if (own_frames) return ((void **)frame)[FRAME_GLOBALS];
    void *globals = tb_py.PyObject_GetAttrString(frame, "f_globals");
    if (globals) tb_py.Py_DecRef(globals);
    return globals;
}

/* A frame of the interpreter's own is evaluated also to make the generator that then owns it. */
static inline int makes_generator(const struct tb_py_function *f, void *frame)
{
    return own_frames && tb_py_generates(f) && ((char *)frame)[FRAME_OWNER] == OWNER_THREAD;
}

static void *evaluate(void *thread, void *frame, int thrown)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (tb_unlikely(here < lowest)) return evaluate_unseen(thread, frame, thrown, here);
    const struct tb_py_function *f = tb_py_chosen(code_of(frame), frame);
    if (!f || makes_generator(f, frame)) return next(thread, frame, thrown);
    tb_py_begin(f);
    void *result = next(thread, frame, thrown);
    tb_py_end();
    return result;
}

/* Until 3.11.4 functions that are called for an index are not evaluated by us (python/cpython issue 104405). */
int tb_py_evaluate(void)
{
    void *o = tb_py.PySys_GetObject("hexversion");
    long version = o ? tb_py.PyLong_AsLong(o) : 0;
    if (version >= 0x030c0000 || (version >= 0x030b0000 && version < 0x030b0400)) return 0;
    if (!tb_py._PyInterpreterState_GetEvalFrameFunc || !tb_py._PyInterpreterState_SetEvalFrameFunc) return 0;
    if (!tb_py.PyInterpreterState_Get || !tb_py.PyFrame_GetCode) return 0;
    own_frames = version >= 0x030b0000;
    *(void **)&next = tb_py._PyInterpreterState_GetEvalFrameFunc(tb_py.PyInterpreterState_Get());
    if (!next) return 0;
    set_evaluation((void *)next, (void *)evaluate);
    return 1;
}
