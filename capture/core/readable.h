/* Whether memory of the program can be read: see readable.c. Keeps errno. */
#ifndef TABARD_READABLE_H
#define TABARD_READABLE_H
#include <stddef.h>

#pragma GCC visibility push(hidden)

int tb_readable(const void *data, size_t bytes);
const char *tb_readable_text(const char *s); /* s, NULL if it cannot be read to its end */

#pragma GCC visibility pop
#endif
