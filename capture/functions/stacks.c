/* Stacks: where they begin and end, and the memory beside each that keeps the return addresses of calls in progress.
 * Nothing here calls the C library: it runs at the first call on a stack, whatever function that is. */
#pragma GCC target("general-regs-only")
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "functions/stubs.h"

/* ---- Memory for return addresses ---- */

enum { CHUNK = 1 << 20, CHUNKS = 1 << 16, NEW = 1, READY = 2, REFUSED = 3 };
static uint64_t chunks[CHUNKS]; /* number of a chunk << 2 | state; open addressing */

static uint64_t wait_for(uint64_t *at)
{
    uint64_t v = NEW;
    for (int i = 0; i < 1 << 22 && ((v = __atomic_load_n(at, __ATOMIC_ACQUIRE)) & 3) == NEW; i++)
        tb_pause();
    return v & 3;
}

static uint64_t map_chunk(uint64_t number)
{
    uintptr_t p = number * CHUNK;
    long r = tb_kernel(SYS_mmap, (long)p, CHUNK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (r == (long)p) {
        tb_kernel(SYS_madvise, r, CHUNK, MADV_NOHUGEPAGE, 0, 0, 0);
        return READY;
    }
    if (r > 0) tb_kernel(SYS_munmap, r, CHUNK, 0, 0, 0, 0); /* an old kernel, which takes it for a wish */
    return REFUSED;
}

/* Makes sure that there is memory for the return addresses of the chunk of stack. */
static int chunk_ready(uintptr_t at)
{
    uint64_t number = (uintptr_t)tb_kept(at) / CHUNK, key = number << 2;
    for (unsigned i = 0, h = (unsigned)(number * 0x9e3779b1u); i < CHUNKS; i++, h++) {
        uint64_t *place = &chunks[h % CHUNKS], v = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if (v == 0 && __atomic_compare_exchange_n(place, &v, key | NEW, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            uint64_t state = map_chunk(number);
            __atomic_store_n(place, key | state, __ATOMIC_RELEASE);
            return state == READY;
        }
        if ((v & ~(uint64_t)3) == key) return wait_for(place) == READY;
    }
    return 0;
}

/* ---- Bounds ---- */

struct bounds { uintptr_t low, high; };
enum { KNOWN = 1 << 10 };
static struct bounds known[KNOWN]; /* of stacks that were looked up, by chunk; written as two words, low last */

struct maps { int fd; unsigned at, n; char text[2048]; };

static int next_char(struct maps *m)
{
    if (m->at == m->n) {
        long n = tb_kernel(SYS_read, m->fd, (long)m->text, sizeof m->text, 0, 0, 0);
        if (n <= 0) return -1;
        m->at = 0;
        m->n = (unsigned)n;
    }
    return (unsigned char)m->text[m->at++];
}

static uintptr_t hexadecimal(struct maps *m, int *c)
{
    uintptr_t v = 0;
    for (;; *c = next_char(m)) {
        if (*c >= '0' && *c <= '9') v = v << 4 | (uintptr_t)(*c - '0');
        else if (*c >= 'a' && *c <= 'f') v = v << 4 | (uintptr_t)(*c - 'a' + 10);
        else return v;
    }
}

/* The mapping with an address in it. The process's own stack grows: it begins where it may reach. */
static struct bounds mapping_of(uintptr_t at)
{
    struct maps m; /* compilers call memset to set all of it */
    struct bounds b = {0, 0};
    int c;
    m.fd = (int)tb_kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    m.at = m.n = 0;
    if (m.fd < 0) return b;
    while ((c = next_char(&m)) >= 0) {
        uintptr_t low = hexadecimal(&m, &c);
        c = next_char(&m);
        uintptr_t high = hexadecimal(&m, &c);
        int last = 0, before = 0;
        for (; c >= 0 && c != '\n'; c = next_char(&m)) before = last, last = c;
        if (at < low || at >= high) continue;
        b = (struct bounds){low, high};
        struct rlimit limit = {0, 0};
        /* [stack], not [heap] or [anon: ...] */
        if (before == 'k' && last == ']' && tb_kernel(SYS_getrlimit, RLIMIT_STACK, (long)&limit, 0, 0, 0, 0) == 0) {
            uintptr_t most = limit.rlim_cur < (rlim_t)1 << 34 ? limit.rlim_cur : (uintptr_t)1 << 34;
            if (high - low < most && high >> 46) b.low = high - most;
        }
        break;
    }
    tb_kernel(SYS_close, m.fd, 0, 0, 0, 0, 0);
    return b;
}

static struct bounds bounds_of(uintptr_t at)
{
    stack_t alternate;
    if (tb_kernel(SYS_sigaltstack, 0, (long)&alternate, 0, 0, 0, 0) == 0 && alternate.ss_flags == SS_ONSTACK &&
        at - (uintptr_t)alternate.ss_sp < alternate.ss_size)
        return (struct bounds){(uintptr_t)alternate.ss_sp, (uintptr_t)alternate.ss_sp + alternate.ss_size};
    struct bounds *k = &known[at / CHUNK % KNOWN], b;
    b.low = __atomic_load_n(&k->low, __ATOMIC_ACQUIRE);
    b.high = __atomic_load_n(&k->high, __ATOMIC_RELAXED);
    if (at >= b.low && at < b.high) return b;
    b = mapping_of(at);
    if (!b.high) return (struct bounds){at & ~(uintptr_t)(CHUNK - 1), (at | (CHUNK - 1)) + 1};
    __atomic_store_n(&k->low, ~(uintptr_t)0, __ATOMIC_RELEASE);
    __atomic_store_n(&k->high, b.high, __ATOMIC_RELEASE);
    __atomic_store_n(&k->low, b.low, __ATOMIC_RELEASE);
    return b;
}

/* ---- The stack of this thread ---- */

/* What comes from outside: a program's own faults end it if they are blocked. */
#define BIT(signal) ((uint64_t)1 << ((signal) - 1))
static const uint64_t held = ~(BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGSEGV));

static void signals(int how, const uint64_t *set, uint64_t *old)
{
    tb_kernel(SYS_rt_sigprocmask, how, (long)set, (long)old, sizeof *set, 0, 0);
}

/* Makes the part of its stack around at, as far as it is known, the thread's. */
static int move_to(struct tb_here *h, uintptr_t at)
{
    if (at < h->stack_low || at >= h->stack_high || !h->size) {
        struct bounds b = bounds_of(at);
        h->stack_low = b.low;
        h->stack_high = b.high;
        h->size = 0;
    }
    if (!chunk_ready(at)) return 0;
    uintptr_t low = at & ~(uintptr_t)(CHUNK - 1), high = low + CHUNK;
    if (h->size && h->low == high) high = h->low + h->size; /* it grew */
    if (low < h->stack_low) low = h->stack_low;
    if (high > h->stack_high) high = h->stack_high;
    h->size = 0; /* a signal handler in between would be refused, if there could be one */
    h->low = low;
    h->size = high - low;
    return 1;
}

int TB_STACK(uintptr_t at)
{
    struct tb_here *h = &tb_here;
    uint64_t before;
    if (h->muted) return 0;
    if (h->own) {
        if (at <= h->own || at < h->stack_low || at >= h->stack_high) return 0;
        h->own = 0; /* it was left by a jump */
    }
    signals(SIG_SETMASK, &held, &before);
    int r = move_to(h, at);
    if (r && h->told != h->stack_low) {
        h->told = h->stack_low;
        tb_function_stack(h->stack_low, h->stack_high);
    }
    signals(SIG_SETMASK, &before, NULL);
    return r;
}

int tb_function_bounds(uintptr_t *low, uintptr_t *high)
{
    const struct tb_here *h = &tb_here;
    stack_t alternate;
    if (!h->muted) return 0;
    int other = tb_kernel(SYS_sigaltstack, 0, (long)&alternate, 0, 0, 0, 0) != 0 ||
                (uintptr_t)alternate.ss_sp == h->stack_low;
    *low = other ? 0 : h->stack_low;
    *high = other ? 0 : h->stack_high;
    return 1;
}

/* ---- Calls of anything else ---- */

enum { SAVED_STACKS = 64, SAVED_BYTES = 1 << 16 };
static struct { uint8_t busy; uintptr_t top; } stacks[SAVED_STACKS];

/* On a stack of its own, which is borrowed: those of signals and coroutines may be small. */
static int borrow(void)
{
    for (int i = 0; i < SAVED_STACKS; i++) {
        if (__atomic_exchange_n(&stacks[i].busy, 1, __ATOMIC_ACQUIRE)) continue;
        if (!stacks[i].top) {
            long r = tb_kernel(SYS_mmap, 0, SAVED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (r > 0) stacks[i].top = (uintptr_t)r + SAVED_BYTES;
        }
        if (stacks[i].top) return i;
        __atomic_store_n(&stacks[i].busy, 0, __ATOMIC_RELEASE);
        break;
    }
    return -1;
}

void TB_SAVED(void (*f)(void *), void *argument)
{
    struct tb_here *h = &tb_here;
    uint64_t before;
    signals(SIG_SETMASK, &held, &before);
    uintptr_t size = h->size;
    h->size = 0;
    h->muted++;
    int i = borrow();
    tb_stub_call(f, argument, i < 0 ? 0 : stacks[i].top);
    if (i >= 0) __atomic_store_n(&stacks[i].busy, 0, __ATOMIC_RELEASE);
    h->muted--;
    h->size = size;
    signals(SIG_SETMASK, &before, NULL);
}
