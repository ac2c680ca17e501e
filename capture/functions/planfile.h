/* The file that tells which functions of which images to see, and how: internal/functions/plan/file.go writes it. */
#ifndef TABARD_PLANFILE_H
#define TABARD_PLANFILE_H
#include <stdint.h>

#define TB_PLAN_MAGIC "TBFUNCT1"
/* libraries: plans of what is loaded later are to be asked for */
struct tb_plan_file { char magic[8]; uint32_t images, libraries; };

/* The parts follow each other in this order: addresses of functions, entries, fixups, code, path, build id. */
struct tb_plan_image {
    uint64_t bytes;           /* of all of it, a multiple of 8 */
    uint32_t functions, fixups, code, frames, path, build_id; /* counts and bytes; frames: where in the code */
    uint64_t first, last;     /* addresses of the first and the last function */
    uint64_t unused;
};
struct tb_plan_entry {
    uint32_t code;            /* where the template begins */
    uint8_t entry;            /* what changes lies so many bytes after the beginning of the function */
    uint8_t is_short;         /* there is a jump of two bytes, to one that lies before the function */
    uint8_t original_n, unused;
    uint8_t original[16];     /* from the first byte that changes on */
};
enum { TB_PLAN_JUMP = 5 };    /* bytes of the one before a function */
struct tb_plan_fixup { uint32_t at; uint16_t to_end, kind; uint64_t target; };
/* Kinds of x86-64: the distance from the end of the instruction, halves of an address; of AArch64: words from the
 * instruction to the target of a branch, pages of 4 KiB, an address. */
enum { TB_FIX_RELATIVE = 0, TB_FIX_LOW = 1, TB_FIX_HIGH = 2, TB_FIX_BRANCH = 3, TB_FIX_PAGE = 4, TB_FIX_ADDRESS = 5 };

#endif
