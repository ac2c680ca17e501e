/* POSIX I/O and stdio as the core sees them (library.c). */
#ifndef TABARD_POSIXIO_LIBRARY_H
#define TABARD_POSIXIO_LIBRARY_H
#include "core/api.h"

#pragma GCC visibility push(hidden)

extern int tb_io_pid; /* of the process whose I/O is recorded */

#pragma GCC visibility pop
#endif
