package proxy

import (
	"strings"

	"tabard/internal/rerun"
	"tabard/trace"
)

// A program frees the buffer of an operation when that is complete. Where operations swap places (see settle) the one that is complete here may be
// another, and what still uses the buffer stands for it.

// swaps tells whether operations may swap places.
func (g *generator) swaps() bool {
	for _, c := range g.classes {
		for _, t := range c.terms {
			o := rerun.OutcomesOf(t.ID)
			if o != nil && (o.Kind == rerun.OneOf || o.Kind == rerun.SomeOf) && t.tm.Flags&trace.Polls == 0 && !strings.Contains(t.Name, "get_status") {
				return true
			}
		}
	}
	return false
}

const freeLaterText = `/* Memory is freed some time later, as an operation that has taken the place of another may still use it: when there are 4096 more blocks,
 * or too many bytes. */
#ifdef __GLIBC__
#include <malloc.h>
#else
#define malloc_usable_size(block) ((size_t)1 << 16)
#endif
static void free_later(void *block)
{
    static @struct { void *block; size_t bytes; } late[4096];
    static @int first, count;
    static @size_t total;
    if (!block) return;
    int at = (first + count++) % 4096;
    late[at].block = block;
    late[at].bytes = malloc_usable_size(block);
    total += late[at].bytes;
    while (count == 4096 || (total > (size_t)1 << 28 && count > 1)) {
        total -= late[first].bytes;
        free(late[first].block);
        first = (first + 1) % 4096;
        count--;
    }
}
`
