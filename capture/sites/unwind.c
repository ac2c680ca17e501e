/* Call sites: the caller of an MPI function with its caller, or the whole stack of callers. */
#include <errno.h>
#include "sites/frames.h"
#include "sites/python.h"

enum { STEPS = 512, KNOWN_STACKS = 256, FRAMES_MAX = 65536, FOLDED_MAX = 256, CYCLE_MAX = 64 };

struct sites { /* of one thread */
    struct tb_step step[STEPS];
    struct { uint64_t hash; uint64_t id; } stack[KNOWN_STACKS];
};

static struct sites *sites_of(struct tb_thread *t)
{
    if (!t->priv->sites) t->priv->sites = tb_map_pages(sizeof(struct sites), 0);
    return t->priv->sites;
}

void tb_sites_thread_end(struct tb_thread *t)
{
    if (t->priv->sites) tb_unmap_pages(t->priv->sites, sizeof(struct sites));
    t->priv->sites = NULL;
}

/* ---- Steps from frame to frame ---- */

struct walk {
    struct sites *sites;
    struct tb_thread *t;
    struct tb_frame f;
    struct tb_extent extent;
    const struct tb_step *step; /* of the frame f */
};

/* A return address belongs to the call before it, which may be the last instruction of its
 * function. */
static uintptr_t place_of(const struct tb_frame *f) { return f->exact ? f->pc : f->pc - 1; }

static TB_COLD void fill_step(struct tb_step *s, uintptr_t pc)
{
    struct tb_module *m = tb_module_of(pc);
    s->pc = pc;
    s->module = m;
    s->seen = m ? m->stamp : 0;
    s->library = (uint8_t)tb_caller_is_library((void *)(pc + 1));
    s->skip = m && m->kind != TB_MODULE_PLAIN;
    tb_cfi_find(s, m, pc);
}

static inline const struct tb_step *step_at(struct sites *sites, uintptr_t pc)
{
    struct tb_step *s = &sites->step[(pc ^ pc >> 9) % STEPS];
    if (tb_unlikely(s->pc != pc || !s->module || s->module->stamp != s->seen)) fill_step(s, pc);
    return s;
}

static void start_walk(struct walk *w, struct sites *sites, struct tb_thread *t, void *ra, void *frame)
{
    uintptr_t at = tb_frame_record(frame);
    w->sites = sites;
    w->t = t;
    w->f = (struct tb_frame){(uintptr_t)ra, tb_frame_end(frame), *(uintptr_t *)at, .exact = 0};
    tb_extent_of(t, at, &w->extent);
    w->step = step_at(sites, place_of(&w->f));
}

/* A frame at the end of a signal handler: the interrupted frames may lie on another stack. */
static TB_COLD int step_full(struct walk *w)
{
    struct tb_frame f = w->f;
    int signal = w->step->signal;
    if (!tb_cfi_step(&f, w->step->module, place_of(&w->f), &w->extent)) return 0;
    if (signal && f.sp - w->extent.low >= w->extent.high - w->extent.low) tb_extent_of(w->t, f.sp, &w->extent);
    else if (f.sp <= w->f.sp && !signal && !(f.sp == w->f.sp && w->f.exact && w->f.link))
        return 0; /* link: a function may have no frame */
    w->f = f;
    return 1;
}

/* A frame without description on AArch64: the frame record says who called, but not where the
 * caller's frame ends. */
static TB_COLD int step_record(struct walk *w)
{
    struct tb_frame *f = &w->f;
    uintptr_t record = f->fp;
    if (f->exact || record < f->sp || record % 8 || record < w->extent.low || record > w->extent.high - 16) return 0;
    *f = (struct tb_frame){tb_strip(((uintptr_t *)record)[1]), record + 16, *(uintptr_t *)record, .loose = 1};
    return 1;
}

/* A function that aligns its stack. */
static TB_COLD int step_aligned(struct walk *w)
{
    struct tb_frame *f = &w->f;
    uintptr_t at = f->fp + (uintptr_t)(intptr_t)w->step->cfa, fp = f->fp + (uintptr_t)(intptr_t)w->step->fp;
    uintptr_t high = w->extent.high;
    if (f->loose || at % 8 || fp % 8 || at < f->sp || at > high - 8 || fp < f->sp || fp > high - 8) return 0;
    uintptr_t frame = *(uintptr_t *)at, ra = frame + (uintptr_t)(intptr_t)w->step->ra;
    if (frame <= at || frame % 8 || frame > high || ra < at || ra > high - 8) return 0;
    *f = (struct tb_frame){tb_return_at(ra, frame), frame, *(uintptr_t *)fp, .exact = 0};
    return 1;
}

enum { WALK_STOPPED, WALK_ON, WALK_END };

/* To the caller's frame. WALK_END: the frame is known to be the outermost. */
static inline int walk_out(struct walk *w)
{
    const struct tb_step *s = w->step;
    struct tb_frame *f = &w->f;
    if (tb_likely(s->kind == TB_STEP_SP || s->kind == TB_STEP_FP)) {
        uintptr_t from = s->kind == TB_STEP_SP ? f->sp : f->fp, frame = from + (uintptr_t)(intptr_t)s->cfa;
        if (TB_STEP_NO_RULES == TB_STEP_RECORD && tb_unlikely(f->loose)) {
            if (s->kind == TB_STEP_SP && !s->fp) return WALK_STOPPED;
            if (s->kind == TB_STEP_SP) frame = f->fp - (uintptr_t)(intptr_t)s->fp;
            f->loose = 0;
        }
        uintptr_t ra = frame + (uintptr_t)(intptr_t)s->ra, fp = frame + (uintptr_t)(intptr_t)s->fp;
        if (frame <= f->sp || frame % 8 || frame > w->extent.high || ra < w->extent.low || ra > w->extent.high - 8)
            return WALK_STOPPED;
        if (s->fp) {
            if (fp < w->extent.low || fp > w->extent.high - 8 || fp % 8) return WALK_STOPPED;
            f->fp = *(uintptr_t *)fp;
        }
        f->pc = tb_return_at(ra, frame);
        f->sp = frame;
        f->exact = 0;
    } else if (s->kind == TB_STEP_AT_FP) {
        if (!step_aligned(w)) return WALK_STOPPED;
    } else if (s->kind == TB_STEP_END) {
        return WALK_END;
    } else if (s->kind == TB_STEP_RECORD ? !step_record(w) : f->loose || !step_full(w)) {
        return WALK_STOPPED;
    }
    if (f->pc < 4096) return WALK_END;
    w->step = step_at(w->sites, place_of(f));
    return w->step->module || s->module ? WALK_ON : WALK_STOPPED; /* two frames of unknown code: guesswork */
}

/* ---- Stacks ---- */

static uint64_t code_word(struct tb_thread *t, struct tb_module *m, uintptr_t pc)
{
    if (m && pc - m->bias < 1ULL << 40 && tb_module_announce(t, m)) return tb_module_word(m, pc);
    return (uint64_t)TB_W_RAW << 60 | (pc & ((1ULL << 60) - 1));
}

struct folded { uint64_t word[FOLDED_MAX]; unsigned n; };

/* Appends a frame; frames that repeat the ones before them go, so that the
 * depth of a recursion does not matter. */
static void fold(struct folded *s, uint64_t word)
{
    if (s->n == FOLDED_MAX) return;
    s->word[s->n++] = word;
    for (unsigned cycle = 1; cycle <= CYCLE_MAX && 2 * cycle <= s->n; cycle++) {
        uint64_t *last = &s->word[s->n - cycle];
        if (last[cycle - 1] != last[-1] || memcmp(last, last - cycle, cycle * 8) != 0) continue;
        s->n -= cycle;
        return;
    }
}

/* Everything outside of main, or of the function that a thread was started
 * with, is the C library's way to call it. */
struct outer { unsigned n; int libc; };

static void note_outer(struct outer *o, const struct folded *s, const struct tb_step *step)
{
    if (!step->module || !step->module->libc) o->libc = 0;
    else if (!o->libc) o->libc = 1, o->n = s->n;
}

/* Frames from the inside out, without those of the MPI library. */
static void collect(struct sites *sites, struct tb_thread *t, uintptr_t jump, void *ra, void *frame, struct folded *s)
{
    struct walk w;
    struct outer o = {0, 0}, before;
    int more = WALK_ON;
    s->n = 0;
    if (jump && jump != (uintptr_t)ra) fold(s, code_word(t, tb_module_of(jump - 1), jump));
    start_walk(&w, sites, t, ra, frame);
    for (int i = 0; i < FRAMES_MAX && more == WALK_ON; i++) {
        before = o;
        note_outer(&o, s, w.step);
        if (!w.step->skip) fold(s, code_word(t, w.step->module, place_of(&w.f) + 1));
        more = walk_out(&w);
        if (more == WALK_END && w.step->module && w.step->module->main) o = before; /* _start */
    }
    if (more == WALK_END && o.libc && o.n > 0) s->n = o.n;
    if (s->n == 0) s->word[s->n++] = code_word(t, tb_module_of((uintptr_t)ra - 1), (uintptr_t)ra);
}

struct stack { struct stack *next; uint64_t hash; uint32_t id, n; uint8_t announced; uint64_t word[]; };
static struct stack *buckets[1 << 12];
static uint32_t stacks;

static struct stack *keep(const struct folded *s, uint64_t hash)
{
    static char *at;
    static size_t room;
    size_t bytes = sizeof(struct stack) + s->n * 8u;
    if (room < bytes) {
        if (!(at = tb_map_pages(1 << 16, 0))) return room = 0, NULL;
        room = 1 << 16;
    }
    struct stack *k = (struct stack *)at;
    at += bytes;
    room -= bytes;
    k->hash = hash;
    k->n = s->n;
    k->id = ++stacks;
    memcpy(k->word, s->word, s->n * 8u);
    return k;
}

static inline uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9fb21c651e98df25ULL;
    return h ^ h >> 32;
}

static void emit_stack(struct tb_thread *t, const struct stack *k)
{
    uint64_t payload[2 + FOLDED_MAX];
    payload[0] = k->id;
    payload[1] = k->n | (uint64_t)TB_A_PLAIN << 48 | (uint64_t)8 << 56;
    memcpy(payload + 2, k->word, k->n * 8u);
    tb_emit(t, TB_R_STACK, payload, 2 + k->n);
}

static uint64_t id_of(struct tb_thread *t, const struct folded *s)
{
    uint64_t h = s->n;
    int mine = 0;
    for (unsigned i = 0; i < s->n; i++) h = mix(h, s->word[i]);
    struct stack **bucket = &buckets[h % (sizeof buckets / sizeof *buckets)], *k;
    if (!tb_shared || !tb_lock_take(&tb_shared->stacks)) return 0;
    for (k = *bucket; k; k = k->next)
        if (k->hash == h && k->n == s->n && memcmp(k->word, s->word, s->n * 8u) == 0) break;
    if (!k && (k = keep(s, h))) {
        k->next = *bucket;
        *bucket = k;
        mine = 1;
    }
    tb_lock_drop(&tb_shared->stacks);
    if (!k) return 0;
    if (mine) {
        emit_stack(t, k);
        __atomic_store_n(&k->announced, 1, __ATOMIC_RELEASE);
    } else {
        tb_wait_flag(&k->announced);
    }
    return k->id;
}

static TB_COLD uint64_t new_stack(struct sites *sites, struct tb_thread *t, uintptr_t jump, void *ra, void *frame)
{
    struct folded s;
    collect(sites, t, jump, ra, frame, &s);
    return id_of(t, &s);
}

/* Most calls come from a stack that this thread has seen: the addresses alone
 * tell. The key covers what they mean. jump: see tb_jump_site, 0 for other calls. */
static uint64_t stack_id(struct sites *sites, struct tb_thread *t, uintptr_t jump, void *ra, void *frame)
{
    struct walk w;
    start_walk(&w, sites, t, ra, frame);
    uint64_t h = tb_site_key ^ jump;
    for (int i = 0; i < FRAMES_MAX; i++) {
        h = mix(h, w.f.pc);
        if (walk_out(&w) != WALK_ON) break;
    }
    __typeof__(&sites->stack[0]) known = &sites->stack[h % KNOWN_STACKS];
    if (tb_unlikely(known->hash != h || known->id == 0)) {
        uint64_t id = new_stack(sites, t, jump, ra, frame);
        known->hash = h;
        known->id = id;
    }
    return known->id;
}

/* ---- The caller and who called it ---- */

/* Most programs have functions that all calls of a kind go through: wrappers of MPI, exchanges of
 * halos. Where such a function is called says more than the call in it, so that a site has the caller
 * and the caller's caller; and one more as long as that is a function of few bytes, which cannot do much
 * but call, or one that the program reaches from several places. What a site has depends on code and
 * stack alone: all ranks and all runs agree. */
/* What an entry counts from: see TB_STEP_AT_FP. BY_PYTHON: cfa says whether a package's own code is left out. */
enum { BY_SP, BY_FP, BY_PYTHON, AT_FP };
enum { CALLERS_MAX = 6, THIN = 192 /* bytes of code */, SCAN_MAX = 1 << 14, TEXT_MAX = 1 << 26 };

static int same_function(const struct tb_step *inner, const struct tb_step *outer)
{
    uintptr_t low, high;
    return inner->module == outer->module && tb_cfi_function(inner->module, inner->pc, &low, &high) &&
           outer->pc - low < high - low;
}

/* Whether a caller says nothing about the call: the C library called main, an OpenMP runtime or
 * a sort routine calls back. */
static int is_foreign(const struct tb_step *inner, const struct tb_step *outer)
{
    const struct tb_module *m = outer->module;
    return !m || m->libc || m->extension || tb_python_is_interpreter(m) || outer->skip ||
           (inner->module && inner->module->main && !m->main) ||
           same_function(inner, outer);
}

static int is_thin(const struct tb_step *s)
{
    uintptr_t low, high;
    return tb_cfi_function(s->module, s->pc, &low, &high) && high - low <= THIN;
}

/* What is known of functions by their code. */
enum { JUDGED = 1 << 10 };
typedef int judge(const struct tb_module *m, uintptr_t low, uintptr_t high);

static TB_COLD int judged(uintptr_t known[JUDGED], judge *is, const struct tb_module *m, uintptr_t pc)
{
    uintptr_t key = (pc ^ (uintptr_t)m << 16) << 1, low, high, *at = &known[(pc ^ pc >> 10) % JUDGED];
    uintptr_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);
    if ((seen & ~(uintptr_t)1) == key) return (int)(seen & 1);
    int r = tb_cfi_function(m, pc, &low, &high) && is(m, low, high);
    __atomic_store_n(at, key | (uintptr_t)r, __ATOMIC_RELAXED);
    return r;
}

/* Whether a function calls itself: then the callers would tell the outermost call of a recursion from
 * the others. */
static int recurs(const struct tb_module *m, uintptr_t low, uintptr_t high)
{
    uintptr_t at;
    return high - low <= SCAN_MAX && tb_module_calls(m, low, high, low, 1, &at) > 0;
}

static int calls_itself(const struct tb_module *m, uintptr_t pc)
{
    static uintptr_t known[JUDGED];
    return judged(known, recurs, m, pc);
}

/* The place that calls a function of its image, if it is one. All code is read for it, once for each function:
 * many of them are reached from the same few. */
enum { NO_CALLER = 1, SEVERAL_CALLERS = 2 };
static TB_COLD uintptr_t callers_of(const struct tb_module *m, uintptr_t low)
{
    static struct { uintptr_t key, at; } known[JUDGED]; /* a place is taken once: what stands there is not torn */
    uintptr_t key = low ^ (uintptr_t)m << 16, at, none = 0;
    __typeof__(&known[0]) k = &known[(low ^ low >> 10) % JUDGED];
    if (__atomic_load_n(&k->key, __ATOMIC_ACQUIRE) == key && (at = __atomic_load_n(&k->at, __ATOMIC_ACQUIRE)))
        return at;
    int n = tb_module_calls(m, m->code, m->code_end, low, 2, &at);
    if (n != 1) at = n > 1 ? SEVERAL_CALLERS : NO_CALLER;
    if (__atomic_compare_exchange_n(&k->key, &none, key, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        __atomic_store_n(&k->at, at, __ATOMIC_RELEASE);
    return at;
}

/* Whether its image calls a function from several places, or one that alone calls it. This does not
 * depend on the stack: what a site has must not depend on which of two stacks came first. */
static int is_reached_in_ways(const struct tb_module *m, uintptr_t low, uintptr_t high)
{
    if (m->code_end - m->code > TEXT_MAX) return 0;
    for (int level = 0; level < CALLERS_MAX; level++) {
        uintptr_t recursion, at;
        if (high - low > SCAN_MAX || tb_module_calls(m, low, high, low, 1, &recursion)) return 0;
        at = callers_of(m, low);
        if (at == NO_CALLER || at == SEVERAL_CALLERS) return at == SEVERAL_CALLERS;
        if (!tb_cfi_function(m, at, &low, &high)) return 0;
    }
    return 0;
}

static int has_ways(const struct tb_step *s)
{
    static uintptr_t known[JUDGED];
    return s->module && judged(known, is_reached_in_ways, s->module, s->pc);
}

/* Whether the way from a frame to its caller is short. */
static int is_short(const struct tb_step *s)
{
    return s->kind == TB_STEP_SP || s->kind == TB_STEP_FP || s->kind == TB_STEP_AT_FP;
}

static int has_callers(const struct tb_step *s)
{
    return is_short(s) && s->module && !calls_itself(s->module, s->pc);
}

/* Whether the caller of the last of n frames belongs to the site. */
static int goes_on(const struct tb_step *s, unsigned n)
{
    if (n == 1) return has_callers(s);
    return n < CALLERS_MAX && is_short(s) && (is_thin(s) || has_ways(s));
}

/* Where Python calls, the caller is the interpreter: the line of Python stands for it. */
static int is_called_by_python(const struct tb_module *m) { return m && m->extension && tb_python_is_there(); }

static inline uint64_t mix_python(uint64_t h, struct tb_python_position *p, int outside)
{
    if (!tb_python_position(p, outside)) return mix(h, p->code = 0);
    return mix(mix(mix(mix(h, p->code), (uint64_t)p->at), p->name), p->file);
}

/* What the keys of callers begin with. Addresses alone must not be added up: those of a function lie close
 * together, and a call in it from one place would be taken for another call from another place. */
static inline uint64_t first_key(uint64_t site) { return mix(site, 0x5bd1e995); }

/* Entries of the caches. Those of callers have two places each. */
static inline struct tb_site_entry *site_at(struct tb_thread *t, uintptr_t a)
{
    return &t->sites[(a ^ a >> 8) % TB_SITE_CACHE];
}

static inline struct tb_site_entry *caller_at(struct tb_thread *t, uint64_t h)
{
    struct tb_site_entry *e = &t->callers[h % TB_CALLER_CACHE];
    return tb_likely(e->key == h) ? e : &t->callers[(h ^ 1) % TB_CALLER_CACHE];
}

static TB_COLD struct tb_site_entry *place_for(struct tb_thread *t, uint64_t h)
{
    struct tb_site_entry *e = caller_at(t, h), *first = &t->callers[h % TB_CALLER_CACHE];
    return e->key == h || e->key == 0 ? e : first; /* never that of the frame before in the same site */
}

static struct tb_site_entry callers_entry(uintptr_t key, const struct tb_step *s)
{
    int by = s->kind == TB_STEP_SP ? BY_SP : s->kind == TB_STEP_FP ? BY_FP : AT_FP;
    int binding = s->module && s->module->kind == TB_MODULE_BINDING;
    return (struct tb_site_entry){key, TB_SITE_CALLERS, s->cfa, s->fp, s->ra, (int16_t)by, (int16_t)binding};
}

/* The word that the caches have for a call, 0 if none: what lies on the stack is read as the entries
 * say, within the thread's own stack. */
static inline uint64_t callers_known(struct tb_thread *t, const struct tb_site_entry *e, void *frame)
{
    uintptr_t sp = tb_frame_end(frame), fp = *(uintptr_t *)tb_frame_record(frame), high = t->priv->stack_high;
    uint64_t h = first_key(e->key);
    if (tb_unlikely(e->by_fp == BY_PYTHON)) {
        struct tb_python_position p;
        h = mix_python(h, &p, e->cfa);
        e = caller_at(t, h);
        return e->key == h ? e->word : 0;
    }
    if (tb_unlikely(sp < t->priv->stack_low || sp >= high)) return 0;
    do {
        uintptr_t end = (e->by_fp ? fp : sp) + (uintptr_t)(intptr_t)e->cfa, size = end - sp, saved = 0;
        if (tb_unlikely(e->by_fp == AT_FP)) {
            uintptr_t at = fp + (uintptr_t)(intptr_t)e->fp;
            if (size > high - sp - 8 || size % 8 || at - sp > high - sp - 8 || at % 8) return 0;
            end = *(uintptr_t *)end, size = end - sp, saved = *(uintptr_t *)at;
        }
        if (tb_unlikely(size - 8 >= high - sp || size % 8)) return 0;
        if (tb_unlikely((uintptr_t)-(intptr_t)e->ra > size)) return 0;
        if (tb_unlikely(e->by_fp != AT_FP && (uintptr_t)-(intptr_t)e->fp > size)) return 0;
        uintptr_t pc = tb_return_at(end + (uintptr_t)(intptr_t)e->ra, end);
        if (e->by_fp == AT_FP) fp = saved;
        else if (e->fp) fp = *(uintptr_t *)(end + (uintptr_t)(intptr_t)e->fp);
        sp = end;
        h = mix(h, pc);
        e = caller_at(t, h);
        if (tb_unlikely(e->key != h)) return 0;
    } while (e->word == TB_SITE_CALLERS);
    return e->word;
}

uint64_t tb_site_callers(struct tb_call *c, void *ra, void *frame)
{
    uint64_t word = callers_known(c->t, site_at(c->t, (uintptr_t)ra), frame);
    if (tb_unlikely(word == 0)) return tb_site_miss(c, ra, frame);
    if (tb_site_is_stack(word)) c->id_flags |= (uint64_t)TB_F_STACK << 16;
    return word;
}

/* The frames of a site are added from the inside out, and the caches filled on the way. */
static TB_COLD uint64_t callers_word(struct sites *sites, struct tb_thread *t, void *ra, void *frame)
{
    struct folded s = {.n = 0};
    struct walk w;
    struct tb_site_entry *first = site_at(t, (uintptr_t)ra), *e = first;
    uint64_t site = (uintptr_t)ra ^ tb_site_key, h = first_key(site);
    int brief = 1;
    start_walk(&w, sites, t, ra, frame);
    for (int frames = 0; frames < 64; frames++) {
        struct tb_step inner = *w.step;
        if (!inner.skip) s.word[s.n++] = code_word(t, inner.module, place_of(&w.f) + 1);
        if (s.n > 0 && !goes_on(&inner, s.n)) break;
        int more = walk_out(&w);
        brief = brief && is_short(&inner);
        if (brief) *e = callers_entry(e == first ? site : h, &inner);
        h = mix(h, w.f.pc);
        e = place_for(t, h);
        if (more != WALK_ON || (s.n > 0 && is_foreign(&inner, w.step))) break;
    }
    if (s.n == 0) s.word[s.n++] = code_word(t, tb_module_of((uintptr_t)ra - 1), (uintptr_t)ra);
    uint64_t word = s.n == 1 ? s.word[0] : id_of(t, &s);
    if (word && brief && e != first) *e = (struct tb_site_entry){.key = h, .word = word};
    return word;
}

/* The place in the extension, unless it is a mere binding, and the line of Python. */
static TB_COLD uint64_t python_word(struct tb_thread *t, uintptr_t ra)
{
    struct folded s = {.n = 0};
    struct tb_python_position p;
    struct tb_module *m = tb_module_of(ra - 1);
    struct tb_site_entry *e = site_at(t, ra);
    int outside = m->extension == TB_EXTENSION_PACKAGE;
    if (outside) tb_python_package(m);
    *e = (struct tb_site_entry){.key = ra ^ tb_site_key, .word = TB_SITE_CALLERS, .cfa = outside, .by_fp = BY_PYTHON};
    uint64_t h = mix_python(first_key(e->key), &p, outside), line = 0;
    if (p.code) line = tb_python_word(t, &p);
    if (!line || m->extension == TB_EXTENSION_OWN) s.word[s.n++] = code_word(t, m, ra);
    if (line) s.word[s.n++] = line;
    uint64_t word = s.n == 1 ? s.word[0] : id_of(t, &s);
    if (word) *place_for(t, h) = (struct tb_site_entry){.key = h, .word = word};
    return word;
}

static int is_plain(const struct tb_module *m) { return !m || m->kind == TB_MODULE_PLAIN; }

/* Whether the site of calls with this return address has callers in it. */
static int wants_callers(struct tb_thread *t, uintptr_t pc)
{
    const struct tb_module *m = tb_module_of(pc);
    struct sites *sites = sites_of(t);
    if (!m || !sites) return 0;
    if (is_called_by_python(m)) return 1;
    return m->kind == TB_MODULE_BINDING || (is_plain(m) && has_callers(step_at(sites, pc)));
}

int tb_site_is_fixed(struct tb_thread *t, void *return_address, int mode)
{
    uintptr_t pc = (uintptr_t)return_address - 1;
    if (mode == TB_SITES_STACK || !is_plain(tb_module_of(pc))) return 0;
    return mode == TB_SITES_OFF || !wants_callers(t, pc);
}

static uint64_t caller_word(struct tb_thread *t, uintptr_t jump, void *ra, void *frame)
{
    uintptr_t a = jump ? jump : (uintptr_t)ra;
    if (!jump && is_called_by_python(tb_module_of(a - 1))) return python_word(t, a);
    if (!jump && wants_callers(t, a - 1)) return callers_word(t->priv->sites, t, ra, frame);
    return code_word(t, tb_module_of(a - 1), a);
}

uint64_t tb_site_word(struct tb_thread *t, int id, void *return_address, void *frame, int mode)
{
    int saved = errno;
    struct sites *sites = mode == TB_SITES_STACK ? sites_of(t) : NULL;
    uint64_t word = TB_SITE_LIBRARY;
    int library = sites ? step_at(sites, (uintptr_t)return_address - 1)->library : tb_caller_is_library(return_address);
    uintptr_t jump = library ? tb_jump_site((unsigned)id, return_address) : 0;
    if (jump || !library) {
        if (sites) word = stack_id(sites, t, jump, return_address, frame);
        else if (mode == TB_SITES_CALLER) word = caller_word(t, jump, return_address, frame);
        else word = 0;
    }
    errno = saved;
    return word;
}

uint64_t tb_site_place(struct tb_thread *t, void *return_address, int mode)
{
    uintptr_t a = (uintptr_t)return_address;
    int saved = errno;
    uint64_t word = mode == TB_SITES_OFF || !a ? 0 : code_word(t, tb_module_of(a - 1), a);
    errno = saved;
    return word;
}

int tb_in_wrapper(struct tb_thread *t, void *return_address, void *frame, uintptr_t address)
{
    struct sites *sites = sites_of(t);
    struct tb_module *own = tb_module_of((uintptr_t)tb_in_wrapper);
    struct walk w;
    if (!sites || !own) return -1;
    start_walk(&w, sites, t, return_address, frame);
    for (int i = 0; i < FRAMES_MAX && address >= w.f.sp; i++) {
        struct tb_module *m = w.step->module;
        if (walk_out(&w) != WALK_ON) return -1;
        if (address < w.f.sp) return m == own;
    }
    return -1;
}
