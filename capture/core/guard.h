/* What the runtime has mapped of files stays accessible: see guard.c. */
#ifndef TABARD_GUARD_H
#define TABARD_GUARD_H
#include <stddef.h>
#include "core/ring.h"

#pragma GCC visibility push(hidden)

void tb_guard_start(void);                     /* from now on; once */
int tb_guard_add(const void *p, size_t bytes); /* 0: there is no room to note it */
void tb_guard_remove(const void *p);
void tb_guard_control(const struct tb_control *control); /* what takes the place of this page */

#pragma GCC visibility pop
#endif
