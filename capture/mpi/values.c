/* Encoders of handles, weights and statuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include "core/core.h"
#include "mpi/library.h"

void tb_put_handles(struct tb_call *c, const void *a, int64_t n)
{
    if (n < 0 || !a) n = 0;
    if (tb_abi.handle_bytes == 8) {
        tb_put_bytes(c, a, n, 8);
        return;
    }
    if (!tb_array_room(c, n, 8)) return;
    const uint32_t *h = a;
    *c->w++ = tb_count_word(n, TB_A_PLAIN, 8);
    for (int64_t i = 0; i < n; i++) *c->w++ = h[i];
}

void tb_put_requests(struct tb_call *c, const void *a, int64_t n)
{
    if (n < 0 || !a) n = 0;
    if (!tb_array_room(c, n, 8)) return;
    *c->w++ = tb_count_word(n, TB_A_PLAIN, 8);
    for (const char *p = a; n-- > 0; p += tb_abi.handle_bytes) *c->w++ = tb_request_word(tb_handle_at(p), p);
}

void tb_put_weights(struct tb_call *c, const void *a, int64_t n)
{
    uint64_t w = (uint64_t)(uintptr_t)a;
    int which = !a ? 0 : w == tb_abi.unweighted ? 1 : w == tb_abi.weights_empty ? 2 : 0;
    if (!which) tb_put_ints(c, a, n, 4);
    else if (tb_room(c, 1)) *c->w++ = tb_count_word(which, TB_A_SENTINEL, 4);
}

/* ---- Statuses ---- */

static uint32_t field(const char *status, int offset)
{
    uint32_t v;
    memcpy(&v, status + offset, sizeof v);
    return v;
}

/* MPI 5 leaves count and cancelled to the library; MPI_BYTE is 0x207 there. */
static uint64_t ask_count(const void *status, uint32_t *cancelled)
{
    static int (*get)(const void *, void *, int64_t *);
    static int (*test)(const void *, int *);
    int64_t n = 0;
    int flag = 0;
    if (!get) get = (int (*)(const void *, void *, int64_t *))tb_library_symbol("PMPI_Get_count_c");
    if (!test) test = (int (*)(const void *, int *))tb_library_symbol("PMPI_Test_cancelled");
    tb_self->priv->muted++;
    if (!get || get(status, (void *)0x207, &n) != 0 || n < 0) n = 0;
    if (!test || test(status, &flag) != 0) flag = 0;
    tb_self->priv->muted--;
    *cancelled = flag != 0;
    return (uint64_t)n;
}

static void put_one_status(struct tb_call *c, const char *s, int ret)
{
    uint32_t cancelled, error = ret == tb_abi.err_in_status ? field(s, tb_abi.off_error) : 0;
    uint64_t bytes;
    switch (tb_abi.kind) {
    case 1: /* int source, tag, error, cancelled; size_t count */
        cancelled = field(s, 12) != 0;
        memcpy(&bytes, s + 16, sizeof bytes);
        break;
    case 2: /* int count_lo, count_hi_and_cancelled, source, tag, error */
        cancelled = field(s, 4) & 1;
        bytes = field(s, 0) | (uint64_t)(field(s, 4) >> 1) << 32;
        break;
    default:
        bytes = ask_count(s, &cancelled);
    }
    c->w[0] = field(s, tb_abi.off_source) | (uint64_t)field(s, tb_abi.off_tag) << 32;
    c->w[1] = error | (uint64_t)cancelled << 32;
    c->w[2] = bytes;
    c->w += 3;
}

void tb_put_status(struct tb_call *c, const void *status, int ret) { put_one_status(c, status, ret); }

void tb_put_statuses(struct tb_call *c, const void *statuses, int64_t n, int ret)
{
    if (n < 0 || !statuses) n = 0;
    if (!tb_array_room(c, n, 24)) return;
    *c->w++ = tb_count_word(n, TB_A_STATUS, 8);
    for (int64_t i = 0; i < n; i++) put_one_status(c, (const char *)statuses + i * tb_abi.status_bytes, ret);
}

/* The thread's room grows and stays. A call inside another one goes without: the library may still
 * write to that of the outer call, and how an outer call ended that a jump left is not known. */
void *tb_own_statuses(struct tb_call *c, int64_t n)
{
    enum { FIRST = 1 << 12, MOST = 1 << 30 };
    struct tb_thread_private *p = c->t->priv;
    if (n <= 0 || tb_abi.status_bytes <= 0 || n > MOST / tb_abi.status_bytes || c->slow & TB_SLOW_NESTED) return NULL;
    size_t need = (size_t)n * (size_t)tb_abi.status_bytes;
    if (tb_unlikely(need > p->statuses_size)) {
        size_t size = FIRST;
        while (size < need) size *= 2;
        int saved = errno;
        void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room != MAP_FAILED) {
            if (p->statuses) munmap(p->statuses, p->statuses_size);
            p->statuses = room;
            p->statuses_size = size;
        }
        errno = saved;
        if (room == MAP_FAILED) return NULL;
    }
    return memset(p->statuses, 0, need);
}
