/* Regions: parts of the program that it names itself. What they come from is in the files of this folder. */
#ifndef TABARD_REGIONS_H
#define TABARD_REGIONS_H
#include "core/call.h"

#pragma GCC visibility push(hidden)

/* name may be anything, and change: it is recorded by its content. from is what the region was made with, NULL for the
 * runtime's own interface. ra and frame are those of the exported function: TB_CALLER. */
#define TB_CALLER __builtin_return_address(0), TB_FRAME()
void tb_region_begin(const char *name, const char *from, void *ra, void *frame);
void tb_region_end(void *ra, void *frame);
void tb_region_mark(const char *name, const char *from, void *ra, void *frame);

extern const struct tb_api tb_region_api; /* what the core sees of them: nothing that it asks for */

#pragma GCC visibility pop
#endif
