/* Private to this room: lines of Python (python.c). */
#ifndef TABARD_PYTHON_H
#define TABARD_PYTHON_H
#include "memory/memory.h"
#include "sites/modules.h"

#pragma GCC visibility push(hidden)

#define TB_PYTHON "python:" /* in place of a build id: a function of Python follows */

struct tb_python_position { uintptr_t code, name, file; int at; };

int tb_python_is_there(void); /* looks for it the first time */
int tb_python_is_interpreter(const struct tb_module *m);
/* The Python code in the folder above that of this library is its own, see TB_EXTENSION_PACKAGE. */
void tb_python_package(const struct tb_module *m);
/* Where this thread is in Python, outside of a library's own code if there is such; 0: nowhere. Needs no lock of the
 * interpreter. */
int tb_python_position(struct tb_python_position *p, int outside);
/* Its module word, 0 if it cannot be told. */
uint64_t tb_python_word(struct tb_thread *t, const struct tb_python_position *p);

#pragma GCC visibility pop
#endif
