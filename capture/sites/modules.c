/* The table of loaded executables and shared objects. Entries are appended
 * and never removed, so that readers need no lock; an unloaded one is marked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/api.h"
#include "memory/memory.h"
#include "sites/frames.h"

enum { MODULES = 1 << 13 };
static struct tb_module *modules[MODULES];
static unsigned modules_n;
static unsigned long long adds, subs; /* the loader's counters at the last refresh */
static uint32_t numbers;

/* ---- Text, kept for ever ---- */

static const char *keep(const char *s)
{
    static char *at;
    static size_t room;
    size_t n = strlen(s) + 1;
    if (n > 4096) return "";
    if (n > room) {
        char *p = tb_map_pages(1 << 16, 0);
        if (!p) return "";
        at = p;
        room = 1 << 16;
    }
    char *to = at;
    memcpy(to, s, n);
    at += n;
    room -= n;
    return to;
}

/* ---- What a module is ---- */

static int starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* By file name. A library goes by what it defines, too: see tb_caller_is_library. */
static int kind_of(const char *path)
{
    int kind = TB_MODULE_PLAIN;
    for (const struct tb_api *const *api = tb_apis; *api && kind == TB_MODULE_PLAIN; api++)
        if ((*api)->module_kind) kind = (*api)->module_kind(file_of(path));
    return kind;
}

static void read_build_id(struct tb_module *m, const ElfW(Phdr) *h)
{
    const char *at = (const char *)m->bias + h->p_vaddr, *end = at + h->p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *n = (const void *)at;
        const char *name = at + sizeof *n;
        size_t name_bytes = ((size_t)n->n_namesz + 3) & ~(size_t)3, bytes = ((size_t)n->n_descsz + 3) & ~(size_t)3;
        if (name_bytes > (size_t)(end - name) || bytes > (size_t)(end - name) - name_bytes) return;
        const unsigned char *id = (const unsigned char *)name + name_bytes;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 && n->n_descsz <= 40) {
            for (unsigned i = 0; i < n->n_descsz; i++) {
                m->build_id[2 * i] = "0123456789abcdef"[id[i] >> 4];
                m->build_id[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
            }
            return;
        }
        at = (const char *)id + bytes;
    }
}

static const char *path_of(const char *name, int main)
{
    char path[4096];
    if (!main && *name != '/' && strchr(name, '/') && getcwd(path, sizeof path - strlen(name) - 1)) {
        strcat(path, "/");
        return keep(strcat(path, name));
    }
    if (!main) return keep(*name ? name : "[vdso]");
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return keep("[program]");
    path[n] = 0;
    return keep(path);
}

static void extent_of(const struct dl_phdr_info *info, uintptr_t *low, uintptr_t *high)
{
    *low = UINTPTR_MAX;
    *high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD) continue;
        if (at < *low) *low = at;
        if (at + h->p_memsz > *high) *high = at + h->p_memsz;
    }
}

/* Modules of Python; ctypes and cffi call functions by libffi, and PyTorch's module by its libraries. */
static uint8_t extension_of(const char *path)
{
    if (starts(file_of(path), "libtorch_")) return TB_EXTENSION_PACKAGE;
    if (starts(file_of(path), "libffi.so")) return TB_EXTENSION_BINDING;
    if (!strstr(file_of(path), ".cpython-") && !strstr(file_of(path), ".abi3.so")) return TB_EXTENSION_NONE;
    return strstr(path, "/mpi4py/") ? TB_EXTENSION_BINDING : TB_EXTENSION_OWN;
}

static struct tb_module *describe(const struct dl_phdr_info *info, uintptr_t low, uintptr_t high, int main)
{
    static struct tb_module *pool;
    static unsigned left;
    if (left == 0) {
        pool = tb_map_pages(64 * sizeof *pool, 0);
        if (!pool) return NULL;
        left = 64;
    }
    struct tb_module *m = pool++;
    left--;
    m->low = low;
    m->high = high;
    m->bias = info->dlpi_addr;
    m->main = (uint8_t)main;
    m->name = keep(info->dlpi_name);
    m->path = path_of(info->dlpi_name, main);
    m->kind = (uint8_t)(main ? TB_MODULE_PLAIN : kind_of(m->path));
    if ((uintptr_t)&describe - low < high - low) m->kind = TB_MODULE_SELF;
    m->libc = TB_LIBC_CODE - low < high - low;
    m->extension = main ? TB_EXTENSION_NONE : extension_of(m->path);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_NOTE && !m->build_id[0]) read_build_id(m, h);
        if (h->p_type == PT_DYNAMIC) m->dynamic = (const void *)(m->bias + h->p_vaddr);
        if (h->p_type == PT_LOAD && h->p_flags & PF_X && h->p_memsz > m->code_end - m->code) {
            m->code = m->bias + h->p_vaddr;
            m->code_end = m->code + h->p_memsz;
        }
        if (h->p_type == PT_GNU_EH_FRAME) m->frame_header = (const uint8_t *)m->bias + h->p_vaddr;
    }
    for (int i = 0; i < info->dlpi_phnum && m->frame_header; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        const uint8_t *at = (const uint8_t *)m->bias + h->p_vaddr;
        if (h->p_type == PT_LOAD && (uintptr_t)m->frame_header - (uintptr_t)at < h->p_memsz)
            m->frame_end = at + h->p_memsz;
    }
    return m;
}

/* ---- Refresh ---- */

struct refresh { unsigned at, known; int unchanged; unsigned char seen[MODULES]; };

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct refresh *r = arg;
    unsigned at = r->at++;
    uintptr_t low, high;
    if (at == 0 && size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
        if (modules_n && adds == info->dlpi_adds && subs == info->dlpi_subs) {
            r->unchanged = 1;
            return 1;
        }
        adds = info->dlpi_adds;
        subs = info->dlpi_subs;
    }
    extent_of(info, &low, &high);
    if (low >= high) return 0;
    for (unsigned i = 0; i < r->known; i++) {
        struct tb_module *m = modules[i];
        if ((m->stamp & 1) || m->low != low || m->high != high || m->bias != info->dlpi_addr) continue;
        if (at != 0 && strcmp(m->name, info->dlpi_name) != 0) continue;
        r->seen[i] = 1;
        return 0;
    }
    if (modules_n < MODULES && (modules[modules_n] = describe(info, low, high, at == 0)))
        __atomic_store_n(&modules_n, modules_n + 1, __ATOMIC_RELEASE);
    return 0;
}

/* 1 if the table changed. */
static int refresh(void)
{
    static struct refresh r;
    int saved = errno;
    tb_shared_init();
    if (!tb_shared || !tb_lock_take(&tb_shared->modules)) return 0;
    r.at = 0;
    r.known = modules_n;
    r.unchanged = 0;
    memset(r.seen, 0, r.known);
    dl_iterate_phdr(visit, &r);
    if (!r.unchanged)
        for (unsigned i = 0; i < r.known; i++)
            if (!r.seen[i] && !(modules[i]->stamp & 1))
                __atomic_store_n(&modules[i]->stamp, modules[i]->stamp + 1, __ATOMIC_RELEASE);
    tb_lock_drop(&tb_shared->modules);
    errno = saved;
    return !r.unchanged;
}

int tb_modules_refresh(void) { return refresh(); }

static struct tb_module *search(uintptr_t a)
{
    unsigned n = __atomic_load_n(&modules_n, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (a - modules[i]->low < modules[i]->high - modules[i]->low && !(modules[i]->stamp & 1)) return modules[i];
    return NULL;
}

/* With a memory of which page belongs to what. */
static struct tb_module *find(uintptr_t a)
{
    static struct tb_module *of_page[1 << 10];
    struct tb_module **at = &of_page[(a >> 12 ^ a >> 22) % (sizeof of_page / sizeof *of_page)];
    struct tb_module *m = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (m && a - m->low < m->high - m->low && !(m->stamp & 1)) return m;
    if ((m = search(a))) __atomic_store_n(at, m, __ATOMIC_RELEASE);
    return m;
}

struct tb_module *tb_module_of(uintptr_t a)
{
    struct tb_module *m = find(a);
    return m || !refresh() ? m : find(a);
}

const char *tb_module_file(const struct tb_module *m) { return file_of(m->path); }

struct tb_module *tb_module_named(const char *prefix, unsigned *from)
{
    unsigned n = __atomic_load_n(&modules_n, __ATOMIC_ACQUIRE);
    while (*from < n) {
        struct tb_module *m = modules[(*from)++];
        if (starts(tb_module_file(m), prefix) && !(m->stamp & 1)) return m;
    }
    return NULL;
}

/* Unloading outdates what threads remember of call sites and static data. */
TB_EXPORT int dlclose(void *handle)
{
    static int (*next)(void *);
    if (!next && !(next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose"))) return -1;
    int r = next(handle), saved = errno;
    if (tb_mem_on && refresh()) __atomic_fetch_add(&tb_site_key, (uintptr_t)1 << 48, __ATOMIC_RELEASE);
    errno = saved;
    return r;
}

/* A direct call at a leads to a plus what its instruction says. Bytes that only look like one do no
 * harm: hardly any lead to the start of a function. */
int tb_module_calls(const struct tb_module *m, uintptr_t low, uintptr_t high, uintptr_t target, int most,
                    uintptr_t *last)
{
    int n = 0;
    if (low < m->code || high > m->code_end) return 0;
#if defined(__aarch64__)
    for (uintptr_t a = low; a + 4 <= high && n < most; a += 4) {
        uint32_t code = *(const uint32_t *)a;
        intptr_t by = (int32_t)(code << 6) >> 6;
        if (code >> 26 == 0x25 && a + (uintptr_t)by * 4 == target) n++, *last = a; /* bl */
    }
#else
    for (const uint8_t *a = (const uint8_t *)low; n < most; a++) {
        int32_t by;
        if ((uintptr_t)a + 5 > high || !(a = memchr(a, 0xe8, high - 4 - (uintptr_t)a))) break;
        memcpy(&by, a + 1, sizeof by);
        if ((uintptr_t)a + 5 + (uintptr_t)(intptr_t)by == target) n++, *last = (uintptr_t)a;
    }
#endif
    return n;
}

/* ---- Records ---- */

static void emit_module(struct tb_thread *t, const struct tb_module *m)
{
    uint64_t payload[3 + 1 + 4096 / 8 + 1 + 88 / 8];
    unsigned n = 3;
    payload[0] = m->number - 1;
    payload[1] = m->bias;
    payload[2] = m->high - m->bias;
    n += tb_encode_string(payload + n, m->path);
    n += tb_encode_string(payload + n, m->build_id);
    tb_emit(t, TB_R_MODULE, payload, n);
}

int tb_module_announce(struct tb_thread *t, struct tb_module *m)
{
    if (tb_likely(__atomic_load_n(&m->announced, __ATOMIC_ACQUIRE))) return 1;
    if (!tb_shared || !tb_lock_take(&tb_shared->modules)) return 0;
    int mine = m->number == 0;
    if (mine) m->number = ++numbers;
    tb_lock_drop(&tb_shared->modules);
    if (mine) {
        emit_module(t, m);
        __atomic_store_n(&m->announced, 1, __ATOMIC_RELEASE);
    } else {
        tb_wait_flag(&m->announced);
    }
    return 1;
}

/* Whether the module is one of the libraries; the question has an answer once they are loaded. */
static void judge(struct tb_module *m)
{
    int loaded = 1;
    for (const struct tb_api *const *api = tb_apis; *api; api++) {
        if (!(*api)->library_address) continue;
        uintptr_t library = (uintptr_t)(*api)->library_address();
        loaded = loaded && library;
        if (library && library - m->low < m->high - m->low) m->kind = TB_MODULE_LIBRARY;
    }
    m->judged = (uint8_t)loaded;
}

/* Hidden, for a program that exports its own _end would put it in place of ours, as Debian's Python does. */
extern const char __ehdr_start[] __attribute__((visibility("hidden"))), _end[] __attribute__((visibility("hidden")));

int tb_is_own(const void *address)
{
    return (uintptr_t)address - (uintptr_t)__ehdr_start < (uintptr_t)_end - (uintptr_t)__ehdr_start;
}

/* For a library on a network file system: when that is gone, code that was not there yet cannot be fetched. */
void tb_own_code_resident(void)
{
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), low = (uintptr_t)__ehdr_start & -page;
    (void)madvise((void *)low, (uintptr_t)_end - low, MADV_POPULATE_READ);
}

int tb_caller_is_library(void *return_address)
{
    struct tb_module *m = tb_module_of((uintptr_t)return_address - 1);
    if (!m) return 0;
    if (m->kind == TB_MODULE_PLAIN && !m->main && !m->judged) judge(m);
    /* A return address of our own: the library entered a function through one of our wrappers
     * and left it by a jump to the next one (MPI_Keyval_create to MPI_Comm_create_keyval). */
    return m->kind == TB_MODULE_LIBRARY || m->kind == TB_MODULE_SELF;
}
