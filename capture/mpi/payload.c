/* What messages carry, as events of its own before the call that sends it. Whatever the program hands over, it is read
 * only where it can be. */
#include <errno.h>
#include <stdlib.h>
#include "core/readable.h"
#include "core/core.h"
#include "core/ids.h"
#include "memory/memory.h"
#include "mpi/gen/wrap.h"
#include "mpi/library.h"
#include "mpi/payload.h"

/* ---- Fingerprints of data that is described by a datatype ---- */

enum { GATHERED = 4 << 10, SAMPLES = 8 };

struct reading {
    struct tb_thread *t;
    struct tb_fingerprint f;
    int element;
    uintptr_t seen_low, seen_high; /* this can be read */
    size_t gathered;
    int64_t at, next;              /* bytes so far; where the next sample is */
    int64_t elements, width, samples;
    uint64_t sample[SAMPLES];
    char bytes[GATHERED];          /* small runs */
};

static int readable(struct reading *r, const char *data, size_t bytes)
{
    uintptr_t a = (uintptr_t)data;
    if (a >= r->seen_low && a + bytes <= r->seen_high && a + bytes >= a) return 1;
    if (!tb_memory_readable(r->t, a, bytes) && !tb_readable(data, bytes)) return 0;
    r->seen_low = a & ~(uintptr_t)4095, r->seen_high = (a + bytes + 4095) & ~(uintptr_t)4095;
    if (tb_memory_readable(r->t, a, bytes)) r->seen_low = a, r->seen_high = a + bytes;
    return 1;
}

static void flush(struct reading *r)
{
    tb_fingerprint_add(&r->f, r->element, r->bytes, r->gathered);
    r->gathered = 0;
}

/* The elements at k / SAMPLES of the message, and the last one. */
static int64_t sample_at(const struct reading *r)
{
    int64_t last = r->elements - 1, k = r->samples;
    return k >= SAMPLES || (r->elements <= SAMPLES && k > last)
               ? -1 : (r->elements <= SAMPLES
                       ? k : last / (SAMPLES - 1) * k + last % (SAMPLES - 1) * k / (SAMPLES - 1));
}

static void take_samples(struct reading *r, const char *data, size_t bytes)
{
    for (int64_t at; (at = sample_at(r)) >= 0 && at * r->width < r->at + (int64_t)bytes; r->samples++) {
        r->sample[r->samples] = 0;
        if (at * r->width >= r->at) memcpy(&r->sample[r->samples], data + (at * r->width - r->at), (size_t)r->width);
    }
}

static int read_run(void *context, const char *data, size_t bytes)
{
    struct reading *r = context;
    if (!readable(r, data, bytes)) return 0;
    if (r->elements) take_samples(r, data, bytes);
    r->at += (int64_t)bytes;
    if (bytes >= GATHERED / 4) {
        flush(r);
        tb_fingerprint_add(&r->f, r->element, data, bytes);
        return 1;
    }
    if (r->gathered + bytes > GATHERED) flush(r);
    memcpy(r->bytes + r->gathered, data, bytes);
    r->gathered += bytes;
    return 1;
}

/* Whether all of it could be read. Derived datatypes are asked of the library, which must not find our wrappers. */
static int read_all(struct reading *r, struct tb_thread *t, const void *data, int64_t count, uintptr_t type)
{
    struct tb_datatype d;
    memset(r, 0, offsetof(struct reading, bytes));
    r->t = t;
    if (count < 0) return 0;
    t->priv->muted++;
    int known = tb_datatype_of(type, &d), all = 0;
    if (known) {
        r->element = d.element;
        r->width = d.element == TB_E_BYTES ? 8 : tb_element_bytes(d.element);
        if (tb_gate[TB_ID_payload_samples] == TB_GATE_OPEN) r->elements = count * d.size / r->width;
        const char *at = data && (uintptr_t)data != tb_abi.bottom ? data : NULL;
        all = tb_datatype_runs(&d, at, count, read_run, r);
        flush(r);
        tb_datatype_done(&d);
    }
    t->priv->muted--;
    return all;
}

/* ---- Events ---- */

static void put_real(struct tb_call *c, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    tb_put(c, bits);
}

/* What a record is of is known after it has been begun. */
static void put_fingerprint(struct tb_call *c, const struct reading *r, int all)
{
    uint64_t id = !all ? TB_ID_payload_unread
                  : r->element == TB_E_BYTES ? TB_ID_payload_bytes
                  : r->element < TB_E_FLOAT ? TB_ID_payload_integers : TB_ID_payload_reals;
    c->id_flags = (c->id_flags & ~(uint64_t)0xffff) | id;
    if (all) tb_put(c, r->f.hash);
    if (id == TB_ID_payload_integers) tb_put(c, r->f.sum);
    if (id == TB_ID_payload_reals) {
        put_real(c, r->f.re);
        put_real(c, r->f.im);
        put_real(c, r->f.size);
    }
}

static void put_samples(const struct reading *r, void *ra, void *frame)
{
    struct tb_call c;
    if (!tb_enter(&c, TB_ID_payload_samples, 1, ra, frame, 1)) return;
    tb_put(&c, (uint64_t)r->samples);
    tb_put_ints(&c, r->sample, r->samples, 8);
    tb_instant(&c);
}

void tb_payload(const void *data, int64_t count, uintptr_t type, void *ra, void *frame)
{
    struct tb_call c;
    struct reading r;
    if (!tb_enter(&c, TB_ID_payload_bytes, 4, ra, frame, 1)) return;
    int saved = errno, all = read_all(&r, c.t, data, count, type);
    errno = saved;
    put_fingerprint(&c, &r, all);
    tb_instant(&c);
    if (all && r.samples) put_samples(&r, ra, frame);
}

static int64_t number(const void *a, int64_t i, int bits)
{
    return bits == 32 ? ((const int *)a)[i] : ((const int64_t *)a)[i];
}

void tb_payload_parts(const struct tb_parts *p, void *ra, void *frame)
{
    struct tb_call c;
    struct reading r;
    int64_t n = p->n > 0 ? p->n : 0, at = 0;
    if (!tb_enter(&c, TB_ID_payload_parts, 1, ra, frame, 1)) return;
    int saved = errno;
    tb_put_int(&c, n);
    if (tb_array_room(&c, n, 8)) {
        *c.w++ = tb_count_word(n, TB_A_PLAIN, 8);
        for (int64_t i = 0; i < n; i++) {
            uintptr_t type = p->types ? tb_handle_at((const char *)p->types + i * tb_abi.handle_bytes) : p->type;
            int64_t count = p->counts ? number(p->counts, i, p->bits) : p->count, extent = 1;
            struct tb_datatype d;
            if (!p->in_bytes && tb_datatype_of(type, &d)) {
                extent = d.extent;
                tb_datatype_done(&d);
            }
            int64_t where = p->displacements ? number(p->displacements, i, p->displacement_bits) : at;
            int all = read_all(&r, c.t, (const char *)p->data + where * extent, count, type);
            *c.w++ = all ? r.f.hash : 0;
            at += count;
        }
    }
    errno = saved;
    tb_instant(&c);
}
