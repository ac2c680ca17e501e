/* Regions: parts of the program that it names itself. What they come from is in the files of this folder. */
#ifndef TABARD_REGIONS_H
#define TABARD_REGIONS_H
#include "core/core.h"

#pragma GCC visibility push(hidden)

/* name may be anything, and change: it is recorded by its content. from is what the region was made with, NULL for the
 * runtime's own interface. ra and frame are those of the exported function: TB_CALLER. */
#define TB_CALLER __builtin_return_address(0), TB_FRAME()
void tb_region_begin(const char *name, const char *from, void *ra, void *frame);
void tb_region_end(void *ra, void *frame);
void tb_region_mark(const char *name, const char *from, void *ra, void *frame);

/* chosen.c: what recording is limited to; tracing is switched on and off where a thread enters and leaves it. */
void tb_regions_choose(void);      /* as the control page says */
int tb_regions_chosen(void);       /* it is limited */
void tb_region_entered(struct tb_thread *t, const char *name);
void tb_region_left(struct tb_thread *t); /* the last one that it has entered */
void tb_regions_left(struct tb_thread *t); /* all */

#pragma GCC visibility pop
#endif
