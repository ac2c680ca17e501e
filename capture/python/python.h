/* Functions of Python programs: when the interpreter tells of them (interpreter.c, evaluation.c, monitoring.c), and
 * what is recorded (functions.c). Nothing of Python is linked: its functions are found in the process by their
 * names. */
#ifndef TABARD_PYTHON_H
#define TABARD_PYTHON_H
#include "core/api.h"

#pragma GCC visibility push(hidden)

/* The interpreter's functions, with its objects as void. Those in the second list may be missing. */
#define TB_PY_FUNCTIONS(F)                                                                    \
    F(int, PySys_AddAuditHook, (int (*)(const char *, void *, void *), void *))               \
    F(int, Py_IsInitialized, (void))                                                          \
    F(int, PyGILState_Check, (void))                                                          \
    F(void, PyErr_Fetch, (void **, void **, void **))                                         \
    F(void, PyErr_Restore, (void *, void *, void *))                                          \
    F(void *, PyObject_GetAttrString, (void *, const char *))                                 \
    F(void *, PyObject_CallMethod, (void *, const char *, const char *, ...))                 \
    F(void, Py_DecRef, (void *))                                                              \
    F(const char *, PyUnicode_AsUTF8, (void *))                                               \
    F(long, PyLong_AsLong, (void *))                                                          \
    F(void *, PyDict_GetItemString, (void *, const char *))                                   \
    F(void *, PyEval_GetGlobals, (void))                                                      \
    F(void *, PySys_GetObject, (const char *))
#define TB_PY_OPTIONAL(F)                                                                     \
    F(long, _PyEval_RequestCodeExtraIndex, (void (*)(void *)))                                \
    F(int, _PyCode_GetExtra, (void *, long, void **))                                         \
    F(int, _PyCode_SetExtra, (void *, long, void *))                                          \
    F(long, PyUnstable_Eval_RequestCodeExtraIndex, (void (*)(void *)))                        \
    F(int, PyUnstable_Code_GetExtra, (void *, long, void **))                                 \
    F(int, PyUnstable_Code_SetExtra, (void *, long, void *))                                  \
    F(int, _PyEval_SetProfile, (void *, int (*)(void *, void *, int, void *), void *))        \
    F(void *, PyFrame_GetCode, (void *))                                                      \
    F(void *, PyInterpreterState_Get, (void))                                                 \
    F(void *, _PyInterpreterState_GetEvalFrameFunc, (void *))                                 \
    F(void, _PyInterpreterState_SetEvalFrameFunc, (void *, void *))                           \
    F(void *, PyInterpreterState_ThreadHead, (void *))                                        \
    F(void *, PyThreadState_Next, (void *))                                                   \
    F(uint64_t, PyThreadState_GetID, (void *))                                                \
    F(void *, PyCFunction_NewEx, (void *, void *, void *))

struct tb_py {
#define TB_PY_MEMBER(result, name, parameters) result (*name) parameters;
    TB_PY_FUNCTIONS(TB_PY_MEMBER)
    TB_PY_OPTIONAL(TB_PY_MEMBER)
#undef TB_PY_MEMBER
};
extern struct tb_py tb_py;

/* ---- functions.c ---- */

int tb_py_functions_start(void);  /* with the interpreter's lock, once; 0: this interpreter cannot be recorded */
struct tb_py_function;
/* What is recorded of a function that is running, or will run in this frame (not NULL); NULL: it is not. */
const struct tb_py_function *tb_py_chosen(void *code, void *frame);
int tb_py_generates(const struct tb_py_function *f); /* its calls make generators, coroutines and the like */
void tb_py_begin(const struct tb_py_function *f); /* a chosen function begins or goes on */
void tb_py_end(void);             /* it ends, or is left until it goes on */

/* ---- evaluation.c: Python 3.9 to 3.11 ---- */

int tb_py_evaluate(void); /* 0: it cannot be had */
void *tb_py_frame_globals(void *frame);

/* ---- monitoring.c: Python 3.12 and later ---- */

int tb_py_monitor(void *monitoring); /* 0: it cannot be had */

#pragma GCC visibility pop
#endif
