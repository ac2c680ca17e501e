/* Carries out the plan: code beside each image, and jumps to it in the entries of its functions.
 *
 * No page is ever writable and executable at once. Code beside images is written first and made executable then. The
 * images are changed through /proc/self/mem, which leaves them as they are mapped: profilers and debuggers see the same
 * files. What cannot be changed stays as it is, and its functions are not seen. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "core/api.h"
#include "core/files.h"
#include "core/internal.h"
#include "functions/stubs.h"

enum { PAGE = 4096, SPARE = 1 << 20, STEP = 16 << 20 };

const struct tb_arenas *tb_arenas;
unsigned tb_arenas_n;

/* ---- The images of the plan and those of the process ---- */

struct image {
    const struct tb_plan_image *plan;
    const uint64_t *address;
    const struct tb_plan_entry *entry;
    const struct tb_plan_fixup *fixup;
    const uint8_t *code;
    char path[PATH_MAX], build_id[88];
    uintptr_t bias, low, high; /* 0, 0, 0: not loaded */
    int library;
    uint8_t *at;               /* its code's place */
};

/* Finds the parts; 0 if they do not fit into what there is. */
static int parts(struct image *i, const struct tb_plan_image *p, uint64_t room)
{
    uint64_t n = sizeof *p + (uint64_t)p->functions * (8 + sizeof *i->entry) + (uint64_t)p->fixups * sizeof *i->fixup +
                 (uint64_t)p->code + p->path + p->build_id;
    if (n > p->bytes || p->bytes > room || p->bytes % 8) return 0;
    if (p->path >= sizeof i->path || p->build_id >= sizeof i->build_id) return 0;
    i->plan = p;
    i->address = (const uint64_t *)(p + 1);
    i->entry = (const struct tb_plan_entry *)(i->address + p->functions);
    i->fixup = (const struct tb_plan_fixup *)(i->entry + p->functions);
    i->code = (const uint8_t *)(i->fixup + p->fixups);
    memcpy(i->path, i->code + p->code, p->path);
    memcpy(i->build_id, i->code + p->code + p->path, p->build_id);
    i->path[p->path] = i->build_id[p->build_id] = 0;
    return 1;
}

static void note_id(const uint8_t *n, size_t size, char *to, size_t room)
{
    for (size_t at = 0; at + 12 <= size;) {
        uint32_t head[3];
        memcpy(head, n + at, sizeof head);
        size_t from = at + 12 + ((head[0] + 3u) & ~3u), end = from + ((head[1] + 3u) & ~3u);
        if (end > size || end < at) return;
        if (head[2] == 3 && head[0] == 4 && memcmp(n + at + 12, "GNU", 4) == 0 && head[1] * 2 < room) {
            for (uint32_t k = 0; k < head[1]; k++) {
                *to++ = "0123456789abcdef"[n[from + k] >> 4];
                *to++ = "0123456789abcdef"[n[from + k] & 15];
            }
            return;
        }
        at = end;
    }
}

static int same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Whether a loaded object is the image; its bytes are compared once more when they change. */
static int seen(struct dl_phdr_info *o, size_t size, void *argument)
{
    struct image *i = argument;
    char id[88] = "";
    uintptr_t low = ~(uintptr_t)0, high = 0;
    (void)size;
    for (int k = 0; k < o->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[k];
        uintptr_t at = o->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD) {
            if (at < low) low = at;
            if (at + p->p_memsz > high) high = at + p->p_memsz;
        } else if (p->p_type == PT_NOTE && !id[0]) {
            note_id((const uint8_t *)at, p->p_memsz, id, sizeof id);
        }
    }
    if (i->build_id[0] ? strcmp(id, i->build_id) != 0 : !same_file(o->dlpi_name[0] ? o->dlpi_name : "/proc/self/exe",
        i->path))
        return 0;
    i->bias = o->dlpi_addr;
    i->library = o->dlpi_name[0] != 0;
    i->low = low;
    i->high = high;
    return 1;
}

/* ---- Places for code ---- */

static struct pool { uintptr_t low, at, high; } pools[TB_ARENAS];
static unsigned pools_n, pools_open; /* those from pools_open on can still be written */

static int reaches(const struct image *i, uintptr_t low, uintptr_t high)
{
    return (high > i->low ? high - i->low : 0) < TB_REACH && (i->high > low ? i->high - low : 0) < TB_REACH;
}

/* The first free place of so many bytes that reaches the image, below it if possible: the heap grows above programs. */
static uintptr_t find_place(const struct image *i, size_t bytes)
{
    uintptr_t from = i->low & ~(uintptr_t)(TB_CODE_PAGE - 1);
    for (int up = 0; up < 2; up++)
        for (uintptr_t by = SPARE; by < TB_REACH; by += by < STEP ? SPARE : STEP) {
            uintptr_t above = (i->high + TB_REACH - by) & ~(uintptr_t)(TB_CODE_PAGE - 1);
            uintptr_t wish = (up ? above : from - by) - bytes;
            if ((!up && from < by + bytes + PAGE * 16) || !reaches(i, wish, wish + bytes)) continue;
            void *p = mmap((void *)wish, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (p == (void *)wish) return wish;
            if (p != MAP_FAILED) munmap(p, bytes);
        }
    return 0;
}

static size_t whole(size_t bytes)
{
    return (bytes + TB_CODE_PAGE - 1) & ~(size_t)(TB_CODE_PAGE - 1);
}

static uint8_t *place(const struct image *i, size_t bytes, size_t all)
{
    bytes = whole(bytes);
    for (unsigned k = pools_open; k < pools_n; k++)
        if (pools[k].high - pools[k].at >= bytes && reaches(i, pools[k].at, pools[k].at + bytes)) {
            pools[k].at += bytes;
            return (uint8_t *)(pools[k].at - bytes);
        }
    if (pools_n == sizeof pools / sizeof *pools) return NULL;
    if (all < bytes || !i->bias) all = bytes; /* no library is near a program at a fixed place */
    uintptr_t p = find_place(i, all);
    if (!p && all > bytes) p = find_place(i, all = bytes);
    if (!p) return NULL;
    pools[pools_n++] = (struct pool){p, p + bytes, p + all};
    return (uint8_t *)p;
}

/* ---- Code ---- */

/* Writes the code of an image to its place; 0: some of it does not reach. */
static int write_code(struct image *i, uint32_t base)
{
    uintptr_t pointer[] = {(uintptr_t)tb_stub_enter, (uintptr_t)tb_stub_leave, (uintptr_t)tb_stub_loop};
    memcpy(i->at, i->code, i->plan->code);
    memcpy(i->at, pointer, sizeof pointer);
    for (uint32_t k = 0; k < i->plan->fixups; k++) {
        const struct tb_plan_fixup *f = &i->fixup[k];
        if (f->at >= i->plan->code ||
            !tb_stub_fix(i->at + f->at, i->plan->code - f->at, f, i->bias + f->target))
            return 0;
    }
    for (uint32_t k = 0; k < i->plan->functions; k++) {
        uint32_t number = base + k;
        if (i->entry[k].code > i->plan->code - 64u) return 0;
        memcpy(i->at + i->entry[k].code + TB_NUMBER_AT, &number, sizeof number);
    }
    tb_code_written(i->at, i->at + i->plan->code);
    return 1;
}

/* All images that have code, and those that are there already. */
static int add_arenas(const struct image *image, uint32_t n)
{
    const struct tb_arenas *old = tb_arenas;
    unsigned had = old ? old->n : 0, k;
    struct tb_arenas *all = mmap(NULL, sizeof *all + (had + n) * sizeof *all->at, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return 0;
    if (had) memcpy(all->at, old->at, had * sizeof *all->at);
    all->n = had;
    for (uint32_t i = 0; i < n; i++) {
        if (!image[i].at) continue;
        uintptr_t low = (uintptr_t)image[i].at;
        for (k = all->n++; k > 0 && all->at[k - 1].low > low; k--) all->at[k] = all->at[k - 1];
        all->at[k] = (struct tb_arena){low, low + image[i].plan->code, image[i].at + image[i].plan->frames};
    }
    __atomic_store_n(&tb_arenas, all, __ATOMIC_RELEASE);
    __atomic_store_n(&tb_arenas_n, all->n, __ATOMIC_RELEASE);
    return 1;
}

/* ---- Entries ---- */

struct writer { int fd; uintptr_t page; int dirty; union { uint8_t text[PAGE]; uint64_t words[PAGE / 8]; }; };

static void flush(struct writer *w)
{
    if (w->dirty) tb_kernel(SYS_pwrite64, w->fd, (long)w->text, PAGE, (long)w->page, 0, 0);
    w->dirty = 0;
}

static void put(struct writer *w, uintptr_t at, const uint8_t *from, size_t n)
{
    for (size_t k = 0; k < n; k++, at++) {
        if ((at & ~(uintptr_t)(PAGE - 1)) != w->page || !w->dirty) {
            flush(w);
            w->page = at & ~(uintptr_t)(PAGE - 1);
            /* not by memcpy, which may change */
            for (int c = 0; c < PAGE / 8; c++) w->words[c] = ((volatile uint64_t *)w->page)[c];
            w->dirty = 1;
        }
        w->text[at - w->page] = from[k];
    }
}

/* The bytes of the entry as they shall be; 0: they are not what the plan knows. */
static size_t changed(const struct image *i, uint32_t k, uint8_t *to, uintptr_t *at)
{
    const struct tb_plan_entry *e = &i->entry[k];
    *at = i->bias + i->address[k] + (e->is_short ? (uintptr_t)-TB_PLAN_JUMP : e->entry);
    if (*at < i->low || *at + sizeof e->original > i->high || e->original_n > sizeof e->original) return 0;
    for (size_t c = 0; c < e->original_n; c++)
        if ((to[c] = ((volatile uint8_t *)*at)[c]) != e->original[c]) return 0;
    return tb_stub_lead(to, e, *at, (uintptr_t)i->at + e->code) ? e->original_n : 0;
}

static void patch(const struct image *i, struct writer *w)
{
    for (uint32_t k = 0; k < i->plan->functions; k++) {
        uint8_t bytes[16];
        uintptr_t at;
        size_t n = changed(i, k, bytes, &at);
        if (n) put(w, at, bytes, n);
    }
    flush(w);
}

/* ---- All of it ---- */

static void protect(void)
{
    for (; pools_open < pools_n; pools_open++)
        mprotect((void *)pools[pools_open].low, pools[pools_open].high - pools[pools_open].low, PROT_READ | PROT_EXEC);
}

/* Prepares an image; 0: nothing of it is seen. */
static int prepare(struct image *i, size_t all)
{
    if (!dl_iterate_phdr(seen, i) || !i->plan->functions || tb_arenas_n == TB_ARENAS) return 0;
    if (!(i->at = place(i, i->plan->code, all))) return 0;
    if (i->library) tb_current(); /* the thread's first call may come where nothing can be begun: inside of malloc */
    struct tb_function_image f = {i->path, i->build_id, i->bias, i->library, i->plan->functions, i->address};
    uint32_t base = tb_functions_register(&f);
    return base != ~0u && write_code(i, base);
}

/* Other threads may be anywhere in libraries: whether all of them sleep, within some milliseconds. A thread that sleeps
 * has called the kernel, and so is at no entry. */
static int others_sleep(void)
{
    for (int tries = 0; tries < 50; tries++) {
        int awake = 0;
        DIR *d = tb_plan_threads() > 1 ? opendir("/proc/self/task") : NULL;
        for (struct dirent *e; d && (e = readdir(d));) {
            char path[64], text[512];
            int id = atoi(e->d_name);
            if (id <= 0 || id == (int)syscall(SYS_gettid)) continue;
            snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
            tb_read_file(path, text, sizeof text);
            const char *state = strrchr(text, ')');
            awake += state && !strchr("SDTtZX", state[2]);
        }
        if (d) closedir(d);
        if (!awake) return 1;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return 0;
}

static void carry_out(const struct tb_plan_file *f, uint64_t size, int fresh)
{
    uint32_t n = 0, libraries = 0;
    uint64_t at = sizeof *f, all = 0;
    struct writer *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct image *image = calloc(f->images + 1, sizeof *image);
    if (w == MAP_FAILED || !image || (w->fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC)) < 0) return;
    for (; n < f->images && size - at >= sizeof(struct tb_plan_image); n++) {
        if (!parts(&image[n], (const struct tb_plan_image *)((const char *)f + at), size - at)) break;
        at += image[n].plan->bytes;
        all += whole(image[n].plan->code);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!prepare(&image[k], all)) image[k].at = NULL;
        libraries += image[k].at && image[k].library;
    }
    protect();
    if (add_arenas(image, n)) {
        if (libraries || f->libraries) tb_own_start(w->fd);
        struct tb_thread *t = tb_self;
        if (t->priv) t->priv->muted++;
        int may = !libraries || fresh || others_sleep();
        if (t->priv) t->priv->muted--;
        for (uint32_t k = 0; k < n; k++)
            if (image[k].at && (may || !image[k].library)) patch(&image[k], w);
    }
    close(w->fd);
    munmap(w, sizeof *w);
    free(image);
}

int tb_plan_carry_out(const char *name, int fresh)
{
    int fd = tb_file_open(tb_process.dir, name, O_RDONLY);
    struct stat st;
    const struct tb_plan_file *f = MAP_FAILED;
    if (fd < 0) return 0;
    if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof *f)
        f = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (f == MAP_FAILED || memcmp(f->magic, TB_PLAN_MAGIC, sizeof f->magic) != 0) return -1;
    carry_out(f, (uint64_t)st.st_size, fresh); /* it stays mapped: the addresses are in use */
    return f->libraries ? 2 : 1;
}

unsigned long tb_plan_threads(void)
{
    struct stat st;
    return stat("/proc/self/task", &st) == 0 && st.st_nlink > 2 ? st.st_nlink - 2 : 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("TABARD_PLAN");
    int saved = errno;
    /* A library may have called MPI before, so that the process is recorded already. */
    if (name && tb_process.dir[0] && tb_process.state != TB_INERT && tb_is_registered() && tb_stub_possible()) {
        tb_frames_start();
        int done = tb_plan_carry_out(name, 0);
        if (done == 2) tb_loads_start();
        if (done > 0) __atomic_fetch_sub(&tb_functions_off, 1, __ATOMIC_RELEASE);
    }
    errno = saved;
}
