/* Functions by number, and those of programs that were compiled with -finstrument-functions, which tell of their calls
 * themselves. These have no plan: a function gets its number when it is called first. */
#define _GNU_SOURCE
#include "core/ids.h"
#include "core/lock.h"
#include "functions/functions.h"
#include "functions/state.h"

/* ---- Numbers ---- */

enum { IMAGES = 1024, TOLD = 1 << 17 };
static struct { uint32_t first, count; uintptr_t bias; const uint64_t *offset; } images[IMAGES];
static uint32_t image_count, number_count;
static uintptr_t *told;           /* addresses of functions that tell of themselves, by hash */
static uint32_t *told_number;     /* their numbers + 1 */
static uintptr_t *told_address;   /* by number - told_first */
static uint32_t told_first, told_count;

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
    tb_publish(image_count, i + 1);
    return first;
}

uintptr_t tbf_address(uint32_t f)
{
    if (told && f - told_first < __atomic_load_n(&told_count, __ATOMIC_ACQUIRE)) return told_address[f - told_first];
    uint32_t n = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (f - images[i].first < images[i].count) return images[i].bias + images[i].offset[f - images[i].first];
    return 0;
}

/* ---- -finstrument-functions ---- */

static struct tb_lock told_lock;

static int make_told(void)
{
    if (__atomic_load_n(&told, __ATOMIC_ACQUIRE)) return 1;
    told_first = take_numbers(TOLD / 2);
    if (told_first == ~0u) return 0;
    told_number = tb_map_pages(TOLD * sizeof *told_number, 0);
    told_address = tb_map_pages(TOLD / 2 * sizeof *told_address, 0);
    uintptr_t *t = tb_map_pages(TOLD * sizeof *t, 0);
    if (!told_number || !told_address || !t) return 0;
    __atomic_store_n(&told, t, __ATOMIC_RELEASE);
    return 1;
}

static TB_COLD uint32_t new_told(uintptr_t a)
{
    uint32_t number = TBF_NONE;
    if (!tb_lock_take(&told_lock)) return number;
    if (make_told()) {
        uint32_t at = (uint32_t)((a * 0x9e3779b97f4a7c15u) >> 40) % TOLD;
        while (told[at] && told[at] != a) at = (at + 1) % TOLD;
        if (told[at]) {
            number = told_number[at] - 1;
        } else if (told_count < TOLD / 2) {
            number = told_first + told_count;
            told_address[told_count] = a;
            told_number[at] = number + 1;
            __atomic_store_n(&told_count, told_count + 1, __ATOMIC_RELEASE);
            __atomic_store_n(&told[at], a, __ATOMIC_RELEASE);
        }
    }
    tb_lock_drop(&told_lock);
    return number;
}

static inline uint32_t number_of(uintptr_t a)
{
    if (tb_unlikely(!__atomic_load_n(&told, __ATOMIC_ACQUIRE))) return new_told(a);
    uint32_t at = (uint32_t)((a * 0x9e3779b97f4a7c15u) >> 40) % TOLD;
    for (uintptr_t k; (k = __atomic_load_n(&told[at], __ATOMIC_ACQUIRE)); at = (at + 1) % TOLD)
        if (tb_likely(k == a)) return told_number[at] - 1;
    return new_told(a);
}

/* The stack where the hook was called is as good as the place of the return address, as long as it is below that of the
 * caller's hook. A hook that the compiler jumps to at the end of a function is called by the function's caller, so to
 * speak: what it sees is above the frame, and not above that of the caller. */
TB_EXPORT void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (tb_unlikely(tb_gate[TB_ID_function_open] != TB_GATE_OPEN || tbf_self == &tbf_refused)) return;
    uint32_t n = number_of((uintptr_t)function);
    if (tb_likely(n != TBF_NONE)) tb_function_enter(n, __builtin_dwarf_cfa());
}

TB_EXPORT void __cyg_profile_func_exit(void *function, void *site)
{
    if (tb_unlikely(tbf_self == &tbf_refused || tbf_self == &tbf_nobody)) return;
    uintptr_t at = (uintptr_t)__builtin_dwarf_cfa();
    tbf_leave_near(number_of((uintptr_t)function), __builtin_return_address(0) == site ? at - 1 : at);
}

/* Where nothing is patched, no register needs saving. */
__attribute__((weak)) void tb_function_saved(void (*f)(void *), void *argument) { f(argument); }
