/* Mappings of files. mmap and munmap themselves stand in memory/allocation.c, for the sake of addresses. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include "memory/memory.h"
#include "core/ids.h"
#include "posixio/wrapper.h"

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

static int mapping(struct tb_file_map *m)
{
    if (tb_io_seen(m->fd, m->caller, m->frame) < 0) return 0;
    m->start = tb_io_start();
    return 1;
}

static void mapped(const struct tb_file_map *m, void *p)
{
    int saved = errno, failed = p == MAP_FAILED;
    uint64_t stop = tb_now();
    struct tb_call c;
    if (!tb_enter(&c, TB_ID_mmap, 3, m->caller, m->frame, 1)) {
        tb_io_stop();
        errno = saved;
        return;
    }
    if (!failed) remember(p);
    tb_put_int(&c, m->protection);
    tb_put_int(&c, m->flags);
    tb_put_int(&c, m->fd);
    tb_begin(&c);
    c.t->at[1] = m->start;
    int ok = tb_end(&c, failed ? saved : 0, 3);
    if (ok) c.t->at[2] = stop;
    if (ok && !failed) {
        tb_put_int(&c, m->offset);
        tb_put_int(&c, (int64_t)m->bytes);
        tb_put(&c, (uintptr_t)p);
    }
    tb_commit(&c);
    errno = saved;
}

static int unmapping(struct tb_file_map *m)
{
    int at = tb_io_mapping(m->address);
    if (at < 0) return 0;
    __atomic_store_n(&mappings[at], 0, __ATOMIC_RELAXED); /* before another thread can get the address */
    m->start = tb_io_start();
    return 1;
}

static void unmapped(const struct tb_file_map *m, int failed)
{
    int saved = errno;
    uint64_t stop = tb_now();
    struct tb_call c;
    if (!tb_enter(&c, TB_ID_munmap, 1, m->caller, m->frame, 1)) {
        tb_io_stop();
        errno = saved;
        return;
    }
    tb_put(&c, (uintptr_t)m->address);
    tb_begin(&c);
    c.t->at[1] = m->start;
    int ok = tb_end(&c, failed ? saved : 0, 1);
    if (ok) c.t->at[2] = stop;
    if (ok && !failed) tb_put_int(&c, (int64_t)m->bytes);
    tb_commit(&c);
    errno = saved;
}

const struct tb_file_maps tb_io_maps = {mapping, mapped, unmapping, unmapped};
