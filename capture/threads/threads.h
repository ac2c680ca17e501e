/* Waits of threads for each other. */
#ifndef TABARD_THREADS_H
#define TABARD_THREADS_H
#include "core/api.h"

#pragma GCC visibility push(hidden)

extern const struct tb_api tb_thread_waits;

#pragma GCC visibility pop
#endif
