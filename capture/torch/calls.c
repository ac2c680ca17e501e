/* What is recorded of a call of a process group: the words in the order of spec/torch/functions.json. */
#include <stdlib.h>
#include "core/core.h"
#include "core/ids.h"
#include "torch/torch.h"

void *tb_torch_behind(const char *symbol, void **found)
{
    void *real = __atomic_load_n(found, __ATOMIC_ACQUIRE);
    if (tb_likely(real != NULL)) return real;
    if (!(real = tb_symbol_behind(symbol))) tb_unresolved(symbol, "any library");
    __atomic_store_n(found, real, __ATOMIC_RELEASE);
    return real;
}

static inline int is_recorded(int id) { return tb_gate[id] != TB_GATE_SKIP; }

/* ---- Tensors ---- */

/* A std::vector of tensors, or a single one, as one. */
struct list { uintptr_t first, end; };

static struct list list_at(uintptr_t vector) { return (struct list){((uintptr_t *)vector)[0], ((uintptr_t *)vector)[1]}; }
static struct list single(uintptr_t tensor) { return (struct list){tensor, tensor + sizeof(uintptr_t)}; }
static int64_t length(struct list l) { return (int64_t)((l.end - l.first) / sizeof(uintptr_t)); }

static struct list counted(const struct tb_torch_method *m, const uintptr_t *a)
{
    switch (m->form) {
    case TB_TORCH_SECOND:
    case TB_TORCH_EXCHANGE:
        return list_at(a[1]);
    case TB_TORCH_TENSOR:
        return single(a[0]);
    case TB_TORCH_SECOND_TENSOR:
    case TB_TORCH_SPLIT:
        return single(a[1]);
    case TB_TORCH_NOTHING:
        return (struct list){0, 0};
    default:
        return list_at(a[0]);
    }
}

static int64_t elements(struct list l)
{
    struct tb_torch_tensor t;
    int64_t sum = 0;
    for (uintptr_t at = l.first; at < l.end; at += sizeof(uintptr_t)) {
        tb_torch_look(at, &t);
        sum += t.elements;
    }
    return sum;
}

/* ---- What goes to each rank ---- */

struct amounts { int64_t n, *of; };

static struct amounts room_for(int64_t n)
{
    struct amounts a = {n, n > 0 ? calloc((size_t)n, sizeof *a.of) : NULL};
    if (!a.of) a.n = 0;
    return a;
}

/* How many elements of a tensor are for each of so many: rows by the vector, or equal parts if that is empty. */
static struct amounts split(uintptr_t tensor, uintptr_t rows, int n)
{
    struct tb_torch_tensor t;
    const int64_t *row = ((int64_t **)rows)[0], *end = ((int64_t **)rows)[1];
    struct amounts a = room_for(row < end ? end - row : n);
    tb_torch_look(tensor, &t);
    int64_t of_row = t.dims && t.shape[0] ? t.elements / t.shape[0] : 0;
    for (int64_t i = 0; i < a.n; i++) a.of[i] = row < end ? row[i] * of_row : t.elements / a.n;
    return a;
}

static struct amounts each(struct list l)
{
    struct tb_torch_tensor t;
    struct amounts a = room_for(length(l));
    for (int64_t i = 0; i < a.n; i++) {
        tb_torch_look(l.first + (uintptr_t)i * sizeof(uintptr_t), &t);
        a.of[i] = t.elements;
    }
    return a;
}

static int are_equal(const struct amounts *a)
{
    for (int64_t i = 1; i < a->n; i++)
        if (a->of[i] != a->of[0]) return 0;
    return 1;
}

/* ---- Values ---- */

enum { WORDS = 9 };

/* Predefined objects that are numbers of an enumeration carry the first id of their API. */
static uint64_t predefined(uint64_t number) { return (uint64_t)TB_ID_torch_init_group << 48 | number; }

static int64_t root_of(const struct tb_torch_method *m, uintptr_t options)
{
    uintptr_t at = options;
    if (m->values == TB_TORCH_OP_AND_ROOT) at += tb_torch_head() + 2 * sizeof(uintptr_t); /* behind the operator */
    return *(int64_t *)at;
}

/* The amounts of a call: for each rank where they differ, else one. */
static void put_counts(struct tb_call *c, int id, int64_t count, const struct amounts *out, const struct amounts *in)
{
    if (id != TB_ID_torch_all_to_all_v) {
        tb_put_int(c, count);
        return;
    }
    tb_put_ints(c, out->of, out->n, sizeof *out->of);
    tb_put_ints(c, in->of, in->n, sizeof *in->of);
    tb_room(c, WORDS);
}

/* Bits of absent values are those of parameters: the operator follows the group, the count and the type. */
enum { OP = 3 };

static void put_values(struct tb_call *c, const struct tb_torch_method *m, const uintptr_t *a)
{
    uintptr_t options = m->options ? a[m->options - 1] : 0;
    int has_op = m->values == TB_TORCH_OP || m->values == TB_TORCH_OP_AND_ROOT;
    if (has_op && tb_torch_head()) tb_put(c, predefined(*(const uint8_t *)(options + tb_torch_head())));
    else if (has_op) c->absent |= 1u << OP;
    if (m->values == TB_TORCH_ROOT || (has_op && m->values == TB_TORCH_OP_AND_ROOT && tb_torch_head()))
        tb_put_int(c, root_of(m, options));
    else if (m->values == TB_TORCH_OP_AND_ROOT) c->absent |= 1u << (OP + 1);
    if (m->form == TB_TORCH_PEER) {
        tb_put_int(c, (int)a[1]);
        tb_put_int(c, (int)a[2]);
    } else if (m->form == TB_TORCH_ANY) {
        c->absent |= 1u << OP; /* where the source would be */
        tb_put_int(c, (int)a[1]);
    }
}

static void put(struct tb_call *c, const struct tb_torch_method *m, int id, const struct tb_torch_arguments *x,
                const struct amounts *out, const struct amounts *in)
{
    struct tb_torch_tensor t;
    tb_put(c, x->self);
    if (m->form == TB_TORCH_NOTHING) return;
    struct list l = counted(m, x->a);
    put_counts(c, id, out->n ? out->of[0] : elements(l), out, in);
    memset(&t, 0, sizeof t);
    if (l.first < l.end) tb_torch_look(l.first, &t);
    tb_put(c, predefined((uint64_t)t.type));
    put_values(c, m, x->a);
    tb_put_int(c, length(l));
    tb_put_int(c, t.dims);
    tb_put_ints(c, t.shape, t.dims, sizeof *t.shape);
}

/* ---- Calls ---- */

static uintptr_t forward(tb_torch_function *real, const struct tb_torch_arguments *x)
{
    if (!x->result) return real(x->self, x->a[0], x->a[1], 0, 0, 0, 0);
    return real(x->result, x->self, x->a[0], x->a[1], x->a[2], x->a[3], x->a[4]);
}

uintptr_t tb_torch_call(const struct tb_torch_method *m, tb_torch_function *real, const struct tb_torch_arguments *x,
                        void *caller, void *frame)
{
    struct tb_call c;
    struct amounts out = {0, NULL}, in = {0, NULL};
    if (!is_recorded(m->id)) return forward(real, x);
    int id = m->id;
    if (m->form == TB_TORCH_SPLIT) {
        int size = tb_torch_size(x->self);
        out = split(x->a[1], x->a[3], size), in = split(x->a[0], x->a[2], size);
    } else if (m->form == TB_TORCH_EXCHANGE) {
        out = each(list_at(x->a[1])), in = each(list_at(x->a[0]));
    }
    if (!are_equal(&out) || !are_equal(&in)) id = TB_ID_torch_all_to_all_v;
    int recorded = tb_enter(&c, id, WORDS, caller, frame, 1);
    if (recorded) put(&c, m, id, x, &out, &in);
    free(out.of);
    free(in.of);
    if (!recorded) return forward(real, x);
    tb_begin(&c);
    uintptr_t r = forward(real, x);
    if (tb_end(&c, 0, 1) && x->result) tb_put(&c, *(const uint64_t *)x->result);
    tb_commit(&c);
    return r;
}

uintptr_t tb_torch_wait(tb_torch_function *real, uintptr_t work, uintptr_t timeout, void *caller, void *frame)
{
    struct tb_call c;
    if (!is_recorded(TB_ID_torch_wait)) return real(work, timeout, 0, 0, 0, 0, 0);
    tb_torch_not_pending(work);
    if (!tb_enter(&c, TB_ID_torch_wait, 1, caller, frame, 1)) return real(work, timeout, 0, 0, 0, 0, 0);
    tb_put(&c, work);
    tb_begin(&c);
    uintptr_t r = real(work, timeout, 0, 0, 0, 0, 0);
    tb_end(&c, 0, 0);
    tb_commit(&c);
    return r;
}

void tb_torch_wait_all(void (*real)(uintptr_t), uintptr_t reducer, void *caller, void *frame)
{
    struct tb_call c;
    uint64_t works[TB_TORCH_PENDING];
    unsigned n = is_recorded(TB_ID_torch_wait_all) ? tb_torch_take_pending(works) : 0;
    if (!n || !tb_enter(&c, TB_ID_torch_wait_all, 2, caller, frame, 1)) {
        real(reducer);
        return;
    }
    tb_put_int(&c, n);
    tb_put_ints(&c, works, n, sizeof *works);
    tb_begin(&c);
    real(reducer);
    tb_end(&c, 0, 0);
    tb_commit(&c);
}

void tb_torch_init(const char *backend, tb_torch_function *real, const struct tb_torch_arguments *x, void *caller,
                   void *frame)
{
    struct tb_call c;
    int rank = (int)x->a[0], size = (int)x->a[1];
    uintptr_t group = x->result;
    if (!is_recorded(TB_ID_torch_init_group) || !tb_enter(&c, TB_ID_torch_init_group, 4, caller, frame, 1)) {
        forward(real, x);
        return;
    }
    tb_put_int(&c, size);
    tb_put(&c, tb_torch_number(*(const uintptr_t *)x->self));
    tb_put_int(&c, rank);
    tb_put_string(&c, backend);
    tb_begin(&c);
    forward(real, x);
    tb_torch_group(group, rank, size);
    if (tb_end(&c, 0, 1)) tb_put(&c, group);
    tb_commit(&c);
}

void tb_torch_destroy(void (*real)(uintptr_t), uintptr_t group, void *caller, void *frame)
{
    struct tb_call c;
    if (!is_recorded(TB_ID_torch_destroy_group) || !tb_enter(&c, TB_ID_torch_destroy_group, 1, caller, frame, 1)) {
        real(group);
        return;
    }
    tb_put(&c, group);
    tb_begin(&c);
    real(group);
    tb_end(&c, 0, 0);
    tb_commit(&c);
}
