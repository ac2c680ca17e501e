/* Functions by number, and those of programs that were compiled with -finstrument-functions, which tell of their calls
 * themselves. These have no plan: a function gets its number when it is called first. */
#define _GNU_SOURCE
#include <errno.h>
#include "core/ids.h"
#include "core/internal.h"
#include "core/lock.h"
#include "functions/functions.h"
#include "functions/state.h"
#include "sites/frames.h"

/* ---- Numbers ---- */

enum { IMAGES = 1024, TOLD = 1 << 17 };
static struct { uint32_t first, count; uintptr_t bias; const uint64_t *offset; struct tb_module *module; } images[IMAGES];
static uint32_t image_count, number_count;
static uintptr_t *told;           /* addresses of functions that tell of themselves, by hash; with a lock */
static uint32_t *told_number;     /* their numbers + 1 */
static uintptr_t *told_address;   /* by number - told_first */
static uint32_t told_first, told_count;

struct tbf_numbers tbf_libc, tbf_libraries;

static uint32_t take_numbers(uint32_t n)
{
    uint32_t first = __atomic_load_n(&number_count, __ATOMIC_RELAXED);
    do
        if (n > TBF_FUNCTIONS - first) return ~0u;
    while (!__atomic_compare_exchange_n(&number_count, &first, first + n, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return first;
}

uint32_t tb_functions_register(const struct tb_function_image *image)
{
    uint32_t i = image_count, first = i < IMAGES ? take_numbers(image->count) : ~0u;
    if (first == ~0u) return first;
    images[i].first = first;
    images[i].count = image->count;
    images[i].bias = image->bias;
    images[i].offset = image->offset;
    images[i].module = image->count ? tb_module_of(image->bias + image->offset[0]) : NULL;
    tb_publish(image_count, i + 1);
    if (!image->library) return first;
    struct tb_module *m = images[i].module;
    struct tb_thread *t = tb_idle();
    if (t && m) tb_module_announce(t, m); /* later there may be locks around */
    if (m && m->libc) tbf_libc = (struct tbf_numbers){first, image->count};
    if (!tbf_libraries.count) tbf_libraries.first = first;
    tbf_libraries.count = first + image->count - tbf_libraries.first;
    return first;
}

struct tb_module *tbf_module(uint32_t f, uintptr_t address)
{
    uint32_t n = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (f - images[i].first < images[i].count) return images[i].module;
    return tb_module_of(address);
}

uintptr_t tbf_address(uint32_t f)
{
    if (f - told_first < __atomic_load_n(&told_count, __ATOMIC_ACQUIRE)) return told_address[f - told_first];
    uint32_t n = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (f - images[i].first < images[i].count) return images[i].bias + images[i].offset[f - images[i].first];
    return 0;
}

/* ---- -finstrument-functions ---- */

/* A place where a function calls a hook: which function, and where the frame of the function lies then. */
struct place {
    uintptr_t ra;     /* the hook's return address, 0: free */
    int32_t cfa;      /* the end of the frame from sp, or fp */
    uint32_t number;
    uint8_t kind;     /* TB_STEP_SP, TB_STEP_FP; 0: not known */
    uint8_t inlined;  /* the function is in the frame of another one */
};
enum { PLACES = 1 << 17 };
static struct place *places;
static uint32_t place_count;
static struct tb_lock told_lock;

static int make_told(void)
{
    if (places) return 1;
    told_first = take_numbers(TOLD / 2);
    if (told_first == ~0u) return 0;
    told_number = tb_map_pages(TOLD * sizeof *told_number, 0);
    told_address = tb_map_pages(TOLD / 2 * sizeof *told_address, 0);
    told = tb_map_pages(TOLD * sizeof *told, 0);
    struct place *p = tb_map_pages(PLACES * sizeof *p, 0);
    if (!told_number || !told_address || !told || !p) return 0;
    tbf_told = 1;
    __atomic_store_n(&places, p, __ATOMIC_RELEASE);
    return 1;
}

static uint32_t hash(uintptr_t a, uint32_t n) { return (uint32_t)((a * 0x9e3779b97f4a7c15u) >> 40) % n; }

/* With the lock held. */
static uint32_t number_of(uintptr_t function)
{
    uint32_t at = hash(function, TOLD);
    while (told[at] && told[at] != function) at = (at + 1) % TOLD;
    if (told[at]) return told_number[at] - 1;
    if (told_count == TOLD / 2) return TBF_NONE;
    uint32_t number = told_first + told_count;
    told_address[told_count] = function;
    told[at] = function;
    told_number[at] = number + 1;
    __atomic_store_n(&told_count, told_count + 1, __ATOMIC_RELEASE);
    return number;
}

static void find_frame(struct place *p, uintptr_t ra, uintptr_t function)
{
    struct tb_step step = {0};
    uintptr_t low, high;
    struct tb_module *m = tb_module_of(ra);
    /* Without rules for the place, those that tb_cfi_find gives are a guess. */
    if (!m || !tb_cfi_function(m, ra - 1, &low, &high)) return;
    tb_cfi_find(&step, m, ra - 1);
    p->cfa = step.cfa;
    p->kind = step.kind == TB_STEP_SP || step.kind == TB_STEP_FP ? step.kind : 0;
    p->inlined = low != function;
}

static const struct place nowhere = {.number = TBF_NONE};

/* With the lock held. Others read the place as soon as it has its address. */
static const struct place *add_place(uintptr_t ra, struct place found, uintptr_t function)
{
    uint32_t at = hash(ra, PLACES);
    while (places[at].ra && places[at].ra != ra) at = (at + 1) % PLACES;
    if (!places[at].ra) {
        found.number = number_of(function);
        places[at] = found;
        place_count++;
        __atomic_store_n(&places[at].ra, ra, __ATOMIC_RELEASE);
    }
    return &places[at];
}

struct new_place { uintptr_t ra, function; const struct place *p; };

static void make_place(void *unknown)
{
    struct new_place *x = unknown;
    struct place found = {.inlined = 1};
    int saved = errno;
    find_frame(&found, x->ra, x->function);
    if (tb_lock_take(&told_lock)) {
        if (make_told() && place_count < PLACES / 2) x->p = add_place(x->ra, found, x->function);
        tb_lock_drop(&told_lock);
    }
    errno = saved;
}

/* Signals wait meanwhile: the functions of a handler would be refused the locks, and its calls be lost. */
static TB_COLD const struct place *new_place(uintptr_t ra, uintptr_t function)
{
    struct new_place x = {ra, function, &nowhere};
    tb_function_saved(make_place, &x);
    return x.p;
}

static inline const struct place *place_of(uintptr_t ra, uintptr_t function)
{
    struct place *all = __atomic_load_n(&places, __ATOMIC_ACQUIRE);
    if (tb_unlikely(!all)) return new_place(ra, function);
    uint32_t at = hash(ra, PLACES);
    for (uintptr_t k; (k = __atomic_load_n(&all[at].ra, __ATOMIC_ACQUIRE)); at = (at + 1) % PLACES)
        if (tb_likely(k == ra)) return &all[at];
    return new_place(ra, function);
}

/* Where the frame of the function ends that has called a hook. Where that is not known, it is as good to know where the
 * hook was called: below the frames around it, as long as nothing is left by a jump. */
static inline uintptr_t frame_of(const struct place *p, uintptr_t sp, void *frame)
{
    if (tb_likely(p->kind == TB_STEP_SP)) return sp + (uintptr_t)(intptr_t)p->cfa;
    if (p->kind == TB_STEP_FP) return *(uintptr_t *)tb_frame_record(frame) + (uintptr_t)(intptr_t)p->cfa;
    return sp;
}

TB_EXPORT void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (tb_unlikely(tb_gate[TB_ID_function_open] != TB_GATE_OPEN || tbf_self == &tbf_refused)) return;
    const struct place *p = place_of((uintptr_t)__builtin_return_address(0), (uintptr_t)function);
    if (tb_likely(p->number != TBF_NONE))
        tbf_enter_near(p->number, frame_of(p, (uintptr_t)__builtin_dwarf_cfa(), TB_FRAME()), p->inlined);
}

TB_EXPORT void __cyg_profile_func_exit(void *function, void *site)
{
    if (tb_unlikely(tbf_self == &tbf_refused || tbf_self == &tbf_nobody)) return;
    uintptr_t ra = (uintptr_t)__builtin_return_address(0), sp = (uintptr_t)__builtin_dwarf_cfa();
    if (ra == (uintptr_t)site) { /* the function ends with a jump to us */
        const struct place *p = place_of((uintptr_t)function, (uintptr_t)function);
        tbf_leave_near(p->number, sp, 1);
        return;
    }
    const struct place *p = place_of(ra, (uintptr_t)function);
    tbf_leave_near(p->number, frame_of(p, sp, TB_FRAME()), p->kind != 0);
}
