/* Call frame information: how to get from a frame to its caller without a
 * frame pointer. Reads .eh_frame of loaded modules through the search table of
 * .eh_frame_hdr (Linux Standard Base, "Exception Frames"; DWARF 5, 6.4). Every
 * read of the tables is bounded by the module, every read of a frame by the
 * memory that holds the frames. */
#define _GNU_SOURCE
#include "sites/frames.h"
#include <signal.h>
#include <ucontext.h>

/* Numbers of registers. PC: what return addresses are described as, on AArch64 the link
 * register. */
#if defined(__x86_64__)
enum { REGISTERS = 17, FP = 6, SP = 7, PC = 16, DEPTH = 8 };
#elif defined(__aarch64__)
enum { REGISTERS = 32, FP = 29, SP = 31, PC = 30, DEPTH = 8 };
#endif

/* ---- Reading ---- */

struct reader { const uint8_t *at, *end; int bad; };

static uint64_t fixed(struct reader *r, unsigned bytes)
{
    uint64_t v = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->bad = 1;
        r->at = r->end;
        return 0;
    }
    memcpy(&v, r->at, bytes);
    r->at += bytes;
    return v;
}

static int64_t fixed_signed(struct reader *r, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;
    return (int64_t)(fixed(r, bytes) << shift) >> shift;
}

static uint64_t uleb(struct reader *r)
{
    uint64_t v = 0, b;
    unsigned shift = 0;
    do {
        b = fixed(r, 1);
        if (shift < 64) v |= (b & 127) << shift;
        shift += 7;
    } while (b & 128);
    return v;
}

static int64_t sleb(struct reader *r)
{
    uint64_t v = 0, b;
    unsigned shift = 0;
    do {
        b = fixed(r, 1);
        if (shift < 64) v |= (b & 127) << shift;
        shift += 7;
    } while (b & 128);
    if (shift < 64 && b & 64) v |= ~(uint64_t)0 << shift;
    return (int64_t)v;
}

static void skip(struct reader *r, uint64_t n)
{
    if (n > (uint64_t)(r->end - r->at)) r->bad = 1;
    else r->at += n;
}

/* A value in the given DW_EH_PE_ format, without what it is relative to. */
static uint64_t encoded(struct reader *r, uint8_t encoding)
{
    switch (encoding & 15) {
    case 0: case 4: return fixed(r, 8);
    case 1: return uleb(r);
    case 2: return fixed(r, 2);
    case 3: return fixed(r, 4);
    case 9: return (uint64_t)sleb(r);
    case 10: return (uint64_t)fixed_signed(r, 2);
    case 11: return (uint64_t)fixed_signed(r, 4);
    case 12: return fixed(r, 8);
    }
    r->bad = 1;
    return 0;
}

static uint64_t pointer(struct reader *r, uint8_t encoding)
{
    uint64_t at = (uintptr_t)r->at, v = encoded(r, encoding);
    switch (encoding & 0xf0) {
    case 0x00: return v;
    case 0x10: return v + at; /* relative to its own place */
    }
    r->bad = 1;
    return 0;
}

/* ---- Finding the description of a function ---- */

static const uint8_t *search(const struct tb_module *m, uintptr_t pc)
{
    const uint8_t *h = m->frame_header;
    struct reader r = {h, m->frame_end, 0};
    if (!h || fixed(&r, 1) != 1) return NULL;
    uint8_t pointer_encoding = (uint8_t)fixed(&r, 1), count_encoding = (uint8_t)fixed(&r, 1);
    if (fixed(&r, 1) != 0x3b) return NULL; /* pairs of 32-bit offsets from the header: what all linkers write */
    encoded(&r, pointer_encoding);
    uint64_t n = encoded(&r, count_encoding), low = 0, high = n;
    if (r.bad || n == 0 || n > (uint64_t)(r.end - r.at) / 8) return NULL;
    int32_t entry[2];
    while (low < high) {
        uint64_t mid = (low + high) / 2;
        memcpy(entry, r.at + mid * 8, 8);
        if ((uintptr_t)h + (uintptr_t)(intptr_t)entry[0] <= pc) low = mid + 1;
        else high = mid;
    }
    if (low == 0) return NULL;
    memcpy(entry, r.at + (low - 1) * 8, 8);
    const uint8_t *fde = h + entry[1];
    return (uintptr_t)fde >= m->low && fde < m->frame_end ? fde : NULL;
}

/* ---- Rules ---- */

enum { SAME, UNDEFINED, OFFSET, VALUE_OFFSET, EXPRESSION, VALUE_EXPRESSION, REGISTER };
struct rule { uint8_t kind; int64_t offset; const uint8_t *at, *end; };
struct row { struct rule cfa, of[REGISTERS]; int cfa_register; };
struct program {
    struct row row, initial, saved[DEPTH];
    unsigned depth;
    uint64_t code_align;
    int64_t data_align;
    uint64_t return_register;
    uint8_t encoding;
    int signal, augmented;
};

static int open_entry(struct reader *r, const uint8_t *at, const struct tb_module *m)
{
    *r = (struct reader){at, m->frame_end, 0};
    uint64_t n = fixed(r, 4);
    if (n == 0xffffffff) n = fixed(r, 8);
    if (r->bad || n == 0 || n > (uint64_t)(r->end - r->at)) return 0;
    r->end = r->at + n;
    return 1;
}

static int read_augmentation(struct reader *r, const char *letters, struct program *p)
{
    if (*letters == 0) return 1;
    if (*letters != 'z') return 0;
    uint64_t n = uleb(r);
    const uint8_t *start = r->at;
    p->augmented = 1;
    while (*++letters) {
        if (*letters == 'R') p->encoding = (uint8_t)fixed(r, 1);
        else if (*letters == 'L') fixed(r, 1);
        else if (*letters == 'S') p->signal = 1;
        else if (*letters == 'P') encoded(r, (uint8_t)fixed(r, 1));
        else break;
    }
    r->at = start;
    skip(r, n);
    return !r->bad;
}

static int read_common(struct reader *r, const uint8_t *at, const struct tb_module *m, struct program *p)
{
    if ((uintptr_t)at < m->low || at >= m->frame_end || !open_entry(r, at, m) || fixed(r, 4) != 0) return 0;
    uint64_t version = fixed(r, 1);
    const char *letters = (const char *)r->at;
    while (fixed(r, 1) != 0)
        if (r->bad) return 0;
    if ((version != 1 && version != 3) || r->bad) return 0;
    p->code_align = uleb(r);
    p->data_align = sleb(r);
    p->return_register = version == 1 ? fixed(r, 1) : uleb(r);
    return !r->bad && p->return_register == PC && read_augmentation(r, letters, p);
}

static void set_rule(struct program *p, uint64_t reg, uint8_t kind, int64_t offset)
{
    if (reg < REGISTERS) p->row.of[reg] = (struct rule){kind, offset, NULL, NULL};
}

static struct rule expression(struct reader *r, uint8_t kind)
{
    uint64_t n = uleb(r);
    struct rule e = {kind, 0, r->at, r->at + n};
    skip(r, n);
    return e;
}

static void set_expression(struct program *p, struct reader *r, uint8_t kind)
{
    uint64_t reg = uleb(r);
    struct rule e = expression(r, kind);
    if (reg < REGISTERS) p->row.of[reg] = e;
}

static void set_cfa(struct program *p, uint64_t reg, int64_t offset)
{
    p->row.cfa = (struct rule){OFFSET, offset, NULL, NULL};
    p->row.cfa_register = reg < REGISTERS ? (int)reg : -1;
}

static int advance(uint64_t *location, uint64_t by, uintptr_t pc)
{
    *location += by;
    return *location > pc;
}

static int stack_op(struct program *p, int restore)
{
    if (restore) {
        if (p->depth == 0) return 0;
        p->row = p->saved[--p->depth];
    } else {
        if (p->depth == DEPTH) return 0;
        p->saved[p->depth++] = p->row;
    }
    return 1;
}

/* Runs instructions up to pc; 0 if there is one that we do not know. */
static int run(struct program *p, struct reader *r, uint64_t location, uintptr_t pc)
{
    while (r->at < r->end && !r->bad) {
        uint8_t op = (uint8_t)fixed(r, 1), low = op & 63;
        uint64_t reg;
        switch (op & 0xc0) {
        case 0x40:
            if (advance(&location, low * p->code_align, pc)) return 1;
            continue;
        case 0x80: set_rule(p, low, OFFSET, (int64_t)uleb(r) * p->data_align); continue;
        case 0xc0:
            if (low < REGISTERS) p->row.of[low] = p->initial.of[low];
            continue;
        }
        switch (op) {
        case 0x00: break;
        case 0x01:
            location = pointer(r, p->encoding);
            if (location > pc) return 1;
            break;
        case 0x02: if (advance(&location, fixed(r, 1) * p->code_align, pc)) return 1; break;
        case 0x03: if (advance(&location, fixed(r, 2) * p->code_align, pc)) return 1; break;
        case 0x04: if (advance(&location, fixed(r, 4) * p->code_align, pc)) return 1; break;
        case 0x05: reg = uleb(r); set_rule(p, reg, OFFSET, (int64_t)uleb(r) * p->data_align); break;
        case 0x06: reg = uleb(r); if (reg < REGISTERS) p->row.of[reg] = p->initial.of[reg]; break;
        case 0x07: set_rule(p, uleb(r), UNDEFINED, 0); break;
        case 0x08: set_rule(p, uleb(r), SAME, 0); break;
        case 0x09: reg = uleb(r); set_rule(p, reg, REGISTER, (int64_t)uleb(r)); break;
        case 0x0a: if (!stack_op(p, 0)) return 0; break;
        case 0x0b: if (!stack_op(p, 1)) return 0; break;
        case 0x0c: reg = uleb(r); set_cfa(p, reg, (int64_t)uleb(r)); break;
        case 0x0d: p->row.cfa_register = (int)(uleb(r) & 255); break;
        case 0x0e: p->row.cfa.offset = (int64_t)uleb(r); break;
        case 0x0f: p->row.cfa = expression(r, EXPRESSION); break;
        case 0x10: set_expression(p, r, EXPRESSION); break;
        case 0x11: reg = uleb(r); set_rule(p, reg, OFFSET, sleb(r) * p->data_align); break;
        case 0x12: reg = uleb(r); set_cfa(p, reg, sleb(r) * p->data_align); break;
        case 0x13: p->row.cfa.offset = sleb(r) * p->data_align; break;
        case 0x14: reg = uleb(r); set_rule(p, reg, VALUE_OFFSET, (int64_t)uleb(r) * p->data_align); break;
        case 0x15: reg = uleb(r); set_rule(p, reg, VALUE_OFFSET, sleb(r) * p->data_align); break;
        case 0x16: set_expression(p, r, VALUE_EXPRESSION); break;
        case 0x2d: break; /* AArch64: the return address is signed from here on, or no more; it is stripped anyway */
        case 0x2e: uleb(r); break; /* size of arguments: nothing to us */
        case 0x2f: reg = uleb(r); set_rule(p, reg, OFFSET, -((int64_t)uleb(r) * p->data_align)); break;
        default: return 0;
        }
    }
    return !r->bad;
}

/* Opens the description of the function at pc, and what it has in common with
 * others; 0 if there is none or none that we understand. */
static int describe(struct program *p, const struct tb_module *m, uintptr_t pc, struct reader *r, struct reader *common,
                    uint64_t *start, uint64_t *bytes)
{
    memset(p, 0, offsetof(struct program, saved));
    p->depth = 0;
    p->signal = p->augmented = 0;
    p->encoding = 0;
    const uint8_t *fde = search(m, pc);
    if (!fde || !open_entry(r, fde, m)) return 0;
    const uint8_t *here = r->at;
    uint64_t back = fixed(r, 4);
    if (back == 0 || back > (uintptr_t)here - m->low || !read_common(common, here - back, m, p)) return 0;
    *start = pointer(r, p->encoding);
    *bytes = encoded(r, p->encoding);
    if (p->augmented) skip(r, uleb(r));
    return !r->bad && pc - *start < *bytes;
}

/* The rules at pc; 0 if there are none or none that we understand. */
static int rules_at(struct program *p, const struct tb_module *m, uintptr_t pc)
{
    struct reader r, common;
    uint64_t start, bytes;
    if (!describe(p, m, pc, &r, &common, &start, &bytes)) return 0;
    p->row.cfa_register = -1;
    if (!run(p, &common, 0, UINTPTR_MAX)) return 0;
    p->initial = p->row;
    p->depth = 0;
    return run(p, &r, start, pc);
}

int tb_cfi_function(const struct tb_module *m, uintptr_t pc, uintptr_t *low, uintptr_t *high)
{
    struct program p;
    struct reader r, common;
    uint64_t start, bytes;
    if (!describe(&p, m, pc, &r, &common, &start, &bytes)) return 0;
    *low = start;
    *high = start + bytes;
    return 1;
}

/* Where a signal handler returns to, if that has no description: on AArch64, mov x8, #139; svc
 * #0. */
static int is_sigreturn(const struct tb_module *m, uintptr_t a)
{
#if defined(__aarch64__)
    static const uint32_t code[2] = {0xd2801168, 0xd4000001};
    return a - m->code < m->code_end - m->code && m->code_end - a >= sizeof code &&
           memcmp((const void *)a, code, sizeof code) == 0;
#else
    return (void)m, (void)a, 0;
#endif
}

static int small(int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; }

/* Whether an expression is the frame pointer plus a number, and then what deref says: the word there. */
static int near_fp(const struct rule *rule, int deref, int32_t *offset)
{
    if (rule->kind != EXPRESSION) return 0;
    struct reader r = {rule->at, rule->end, 0};
    if (fixed(&r, 1) != 0x70 + FP) return 0; /* DW_OP_breg */
    int64_t n = sleb(&r);
    if (deref && fixed(&r, 1) != 0x06) return 0; /* DW_OP_deref */
    *offset = (int32_t)n;
    return !r.bad && r.at == r.end && n == *offset;
}

void tb_cfi_find(struct tb_step *s, struct tb_module *m, uintptr_t pc)
{
    struct program p;
    s->kind = TB_STEP_NO_RULES; /* a chain of frame pointers, if there is one */
    s->signal = 0;
    s->cfa = 16, s->fp = -16, s->ra = -8;
    if (!m) return;
    if (is_sigreturn(m, pc + 1)) {
        s->kind = TB_STEP_FULL;
        s->signal = 1;
        return;
    }
    if (!rules_at(&p, m, pc)) return;
    const struct rule *cfa = &p.row.cfa, *fp = &p.row.of[FP], *ra = &p.row.of[PC];
    s->signal = (uint8_t)p.signal;
    s->kind = TB_STEP_FULL;
    if (ra->kind == UNDEFINED) s->kind = TB_STEP_END;
    if (!p.signal && p.row.of[SP].kind == SAME && ra->kind == OFFSET && small(ra->offset) &&
        near_fp(cfa, 1, &s->cfa) && near_fp(fp, 0, &s->fp)) {
        s->kind = TB_STEP_AT_FP;
        s->ra = (int32_t)ra->offset;
        return;
    }
    if (p.signal || cfa->kind != OFFSET || ra->kind != OFFSET || (fp->kind != OFFSET && fp->kind != SAME)) return;
    if ((p.row.cfa_register != SP && p.row.cfa_register != FP) || p.row.of[SP].kind != SAME) return;
    if (!small(cfa->offset) || !small(ra->offset) || !small(fp->offset)) return;
    s->kind = p.row.cfa_register == SP ? TB_STEP_SP : TB_STEP_FP;
    s->cfa = (int32_t)cfa->offset;
    s->ra = (int32_t)ra->offset;
    s->fp = fp->kind == OFFSET ? (int32_t)fp->offset : 0;
}

/* ---- One frame, by all rules ---- */

struct registers { uint64_t v[REGISTERS]; uint32_t known; };

static int load(uint64_t a, const struct tb_extent *e, uint64_t *v)
{
    if (a < e->low || a > e->high || e->high - a < 8) return 0;
    memcpy(v, (const void *)(uintptr_t)a, 8);
    return 1;
}

static int register_value(const struct registers *g, uint64_t reg, uint64_t *v)
{
    if (reg >= REGISTERS || !(g->known >> reg & 1)) return 0;
    *v = g->v[reg];
    return 1;
}

static int binary(uint8_t op, uint64_t a, uint64_t b, uint64_t *v)
{
    switch (op) {
    case 0x1a: *v = a & b; return 1;
    case 0x1c: *v = a - b; return 1;
    case 0x1e: *v = a * b; return 1;
    case 0x21: *v = a | b; return 1;
    case 0x22: *v = a + b; return 1;
    case 0x24: *v = b < 64 ? a << b : 0; return 1;
    case 0x25: *v = b < 64 ? a >> b : 0; return 1;
    case 0x27: *v = a ^ b; return 1;
    case 0x29: *v = a == b; return 1;
    case 0x2a: *v = (int64_t)a >= (int64_t)b; return 1;
    case 0x2b: *v = (int64_t)a > (int64_t)b; return 1;
    case 0x2c: *v = (int64_t)a <= (int64_t)b; return 1;
    case 0x2d: *v = (int64_t)a < (int64_t)b; return 1;
    case 0x2e: *v = a != b; return 1;
    }
    return 0;
}

/* DWARF expressions as compilers and the C library write them for frames. */
static int evaluate(const struct rule *e, const struct registers *g, const struct tb_extent *x, uint64_t first,
                    int push, uint64_t *result)
{
    struct reader r = {e->at, e->end, 0};
    uint64_t s[16], v;
    unsigned n = 0;
    if (push) s[n++] = first;
    while (r.at < r.end && !r.bad) {
        uint8_t op = (uint8_t)fixed(&r, 1);
        if (n == 16) return 0;
        if (op >= 0x30 && op < 0x50) s[n++] = op - 0x30u;                    /* lit */
        else if (op >= 0x70 && op < 0x91) {                                  /* breg */
            if (!register_value(g, op - 0x70u, &v)) return 0;
            s[n++] = v + (uint64_t)sleb(&r);
        } else if (op == 0x08) s[n++] = fixed(&r, 1);
        else if (op == 0x09) s[n++] = (uint64_t)fixed_signed(&r, 1);
        else if (op == 0x0a) s[n++] = fixed(&r, 2);
        else if (op == 0x0b) s[n++] = (uint64_t)fixed_signed(&r, 2);
        else if (op == 0x0c) s[n++] = fixed(&r, 4);
        else if (op == 0x0d) s[n++] = (uint64_t)fixed_signed(&r, 4);
        else if (op == 0x10) s[n++] = uleb(&r);
        else if (op == 0x11) s[n++] = (uint64_t)sleb(&r);
        else if (op == 0x12 && n) s[n] = s[n - 1], n++;                      /* dup */
        else if (op == 0x13 && n) n--;                                       /* drop */
        else if (op == 0x06 && n) {                                          /* deref */
            if (!load(s[n - 1], x, &s[n - 1])) return 0;
        } else if (op == 0x23 && n) s[n - 1] += uleb(&r);                    /* plus_uconst */
        else if (n >= 2 && binary(op, s[n - 2], s[n - 1], &v)) s[--n - 1] = v;
        else return 0;
    }
    if (n == 0 || r.bad) return 0;
    *result = s[n - 1];
    return 1;
}

static int restore(const struct rule *u, int reg, const struct registers *g, const struct tb_extent *e, uint64_t cfa,
                   uint64_t *v)
{
    switch (u->kind) {
    case SAME:
        if (reg == SP) return *v = cfa, 1;
        return register_value(g, (uint64_t)reg, v);
    case OFFSET: return load(cfa + (uint64_t)u->offset, e, v);
    case VALUE_OFFSET: return *v = cfa + (uint64_t)u->offset, 1;
    case EXPRESSION: return evaluate(u, g, e, cfa, 1, v) && load(*v, e, v);
    case VALUE_EXPRESSION: return evaluate(u, g, e, cfa, 1, v);
    case REGISTER: return register_value(g, (uint64_t)u->offset, v);
    }
    return 0;
}

/* The registers that a signal handler returns to, at sp: struct rt_sigframe of the kernel. */
static int step_signal(struct tb_frame *f, const struct tb_extent *e)
{
#if defined(__aarch64__)
    uint64_t at = f->sp + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext);
    uint64_t regs = at + offsetof(mcontext_t, regs), v[4];
    if (!load(at + offsetof(mcontext_t, pc), e, &v[0]) || !load(at + offsetof(mcontext_t, sp), e, &v[1]) ||
        !load(regs + 8 * FP, e, &v[2]) || !load(regs + 8 * PC, e, &v[3]))
        return 0;
    *f = (struct tb_frame){v[0], v[1], v[2], .exact = 1, .link = tb_strip(v[3])};
    return 1;
#else
    return (void)f, (void)e, 0;
#endif
}

static void set_registers(struct registers *g, const struct tb_frame *f)
{
    g->v[FP] = f->fp;
    g->v[SP] = f->sp;
    g->known = 1u << FP | 1u << SP;
#if defined(__aarch64__)
    g->v[PC] = f->link;
    if (f->link) g->known |= 1u << PC;
#else
    g->v[PC] = f->pc;
    g->known |= 1u << PC;
#endif
}

int tb_cfi_step(struct tb_frame *f, struct tb_module *m, uintptr_t pc, struct tb_extent *e)
{
    struct program p;
    struct registers g;
    uint64_t cfa, v[3];
    if (!m) return 0;
    if (is_sigreturn(m, pc + 1)) return step_signal(f, e);
    if (!rules_at(&p, m, pc)) return 0;
    set_registers(&g, f);
    if (p.row.cfa.kind == EXPRESSION) {
        if (!evaluate(&p.row.cfa, &g, e, 0, 0, &cfa)) return 0;
    } else {
        if (p.row.cfa_register < 0 || !register_value(&g, (uint64_t)p.row.cfa_register, &cfa)) return 0;
        cfa += (uint64_t)p.row.cfa.offset;
    }
#if defined(__x86_64__)
    if (p.row.of[PC].kind == SAME) return 0;
#endif
    if (!restore(&p.row.of[PC], PC, &g, e, cfa, &v[0]) || !restore(&p.row.of[SP], SP, &g, e, cfa, &v[1]) ||
        !restore(&p.row.of[FP], FP, &g, e, cfa, &v[2]))
        return 0;
    v[0] = tb_strip(v[0]);
    if (!p.signal) v[0] = tb_function_return(v[0], cfa - 8);
    *f = (struct tb_frame){v[0], v[1], v[2], .exact = p.signal};
    return 1;
}
