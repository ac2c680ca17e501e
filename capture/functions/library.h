/* Function calls as the core sees them. */
#ifndef TABARD_FUNCTIONS_LIBRARY_H
#define TABARD_FUNCTIONS_LIBRARY_H
#include "core/api.h"

#pragma GCC visibility push(hidden)
extern const struct tb_api tb_function_api;
#pragma GCC visibility pop
#endif
