/* Mappings of files. mmap and munmap themselves stand in memory/allocation.c, for the sake of addresses. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include "posixio/wrapper.h"
#include "mpi/gen/wrap.h"

enum { PLACES = 1 << 12, PROBES = 16 }; /* a mapping that finds no place is recorded, and its end is not */
static uintptr_t mappings[PLACES];      /* where they begin; 0: none */

static unsigned place(uintptr_t a, unsigned probe) { return (unsigned)((a >> 12) * 2654435761u + probe) % PLACES; }

int tb_io_mapping(const void *address)
{
    for (unsigned i = 0; i < PROBES; i++) {
        unsigned at = place((uintptr_t)address, i);
        if (address && __atomic_load_n(&mappings[at], __ATOMIC_RELAXED) == (uintptr_t)address) return (int)at;
    }
    return -1;
}

static void remember(const void *p)
{
    if (tb_io_mapping(p) >= 0) return;
    for (unsigned i = 0; i < PROBES; i++) {
        uintptr_t none = 0;
        if (__atomic_compare_exchange_n(&mappings[place((uintptr_t)p, i)], &none, (uintptr_t)p, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) return;
    }
}

void tb_io_mapped(const struct tb_io_map *m, void *p, void *return_address, void *frame)
{
    int saved = errno, on = tb_io_seen(m->fd, return_address, frame), failed = p == MAP_FAILED;
    struct tb_call c;
    if (on < 0 || !tb_enter(&c, TB_ID_mmap, 3, return_address, frame)) {
        tb_io_stop();
        errno = saved;
        return;
    }
    if (!failed) remember(p);
    tb_put_int(&c, m->protection);
    tb_put_int(&c, m->flags);
    tb_put_int(&c, on);
    tb_begin(&c);
    c.t->at[1] = m->start;
    if (tb_end(&c, failed ? saved : 0, 3) && !failed) {
        tb_put_int(&c, m->offset);
        tb_put_int(&c, (int64_t)m->bytes);
        tb_put(&c, (uintptr_t)p);
    }
    tb_commit(&c);
    errno = saved;
}

void tb_io_unmapped(void *p, size_t bytes, uint64_t start, int failed, void *return_address, void *frame)
{
    int saved = errno, at = tb_io_mapping(p);
    struct tb_call c;
    if (at >= 0 && !failed) __atomic_store_n(&mappings[at], 0, __ATOMIC_RELAXED);
    if (at < 0 || !tb_enter(&c, TB_ID_munmap, 1, return_address, frame)) {
        tb_io_stop();
        errno = saved;
        return;
    }
    tb_put(&c, (uintptr_t)p);
    tb_begin(&c);
    c.t->at[1] = start;
    if (tb_end(&c, failed ? saved : 0, 1) && !failed) tb_put_int(&c, (int64_t)bytes);
    tb_commit(&c);
    errno = saved;
}
