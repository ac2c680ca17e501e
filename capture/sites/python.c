/* The line of Python that a call of MPI goes back to.
 *
 * Bindings such as mpi4py let go of the interpreter's lock before they call MPI, so that its functions
 * for frames must not be called, and to wait for the lock would change the program. But the frames of a
 * thread that is outside of the interpreter stay as they are, and only the thread itself changes them.
 * They are read as each version lays them out (Include/cpython/pystate.h, internal/pycore_frame.h,
 * cpython/code.h). A layout is believed once what it leads to has the types that it should; until then
 * everything is read by the kernel, which refuses what is no memory. Nothing is written, no reference
 * is taken, and no function is called but those that read what does not change. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include "sites/python.h"

/* Offsets in bytes. From 3.11 on frames are no objects, and the place is a pointer into the code. */
struct layout {
    int minor;
    unsigned frame;             /* in the thread's state: of its frame, */
    int inner;                  /* or of what has it here; -1: directly */
    unsigned code, at, at_unit; /* in the frame; at_unit: bytes for each number, 0: it is a pointer */
    unsigned owner, previous;   /* owner 0: none. 3: the frame stands for C */
    unsigned file, name, first; /* in the code */
    unsigned instructions, ascii;
};
static const struct layout layouts[] = {
    {8, 24, -1, 32, 104, 1, 0, 24, 104, 112, 40, 0, 48},   {9, 24, -1, 32, 104, 1, 0, 24, 104, 112, 40, 0, 48},
    {10, 24, -1, 32, 96, 2, 0, 24, 104, 112, 40, 0, 48},   {11, 56, 8, 32, 56, 0, 69, 48, 112, 120, 72, 184, 48},
    {12, 56, 0, 0, 56, 0, 70, 8, 112, 120, 68, 192, 40},  {13, 72, -1, 0, 56, 0, 70, 8, 112, 120, 68, 200, 40},
};
enum { OWNED_BY_C = 3, TYPE = 8, LENGTH = 16, STATE = 32, COMPACT_ASCII = 3 << 5, NAME_MAX = 60, PATH_BYTES = 1024 };

static const struct layout *layout;
static int state, proven; /* state: 0 not looked for, 1 there, -1 not there or unknown */
static int (*is_initialized)(void);
static void *(*thread_state)(void);
static int (*line_of)(void *code, int at);
static uintptr_t code_type, text_type;

static TB_COLD int find_python(void)
{
    const char *(*version)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "Py_GetVersion");
    is_initialized = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    thread_state = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    line_of = (int (*)(void *, int))dlsym(RTLD_DEFAULT, "PyCode_Addr2Line");
    code_type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyCode_Type");
    text_type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyUnicode_Type");
    if (!version || !is_initialized || !thread_state || !line_of || !code_type || !text_type) return -1;
    const char *text = version();
    if (strncmp(text, "3.", 2) != 0 || strstr(text, "free-threading")) return -1;
    for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].minor == atoi(text + 2)) layout = &layouts[i];
    return layout ? 1 : -1;
}

int tb_python_is_there(void)
{
    if (state == 0) state = find_python();
    return state > 0;
}

int tb_python_is_interpreter(const struct tb_module *m)
{
    return state > 0 && (uintptr_t)is_initialized - m->low < m->high - m->low;
}

static TB_COLD int ask_kernel(uintptr_t a, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)a, bytes};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static inline int get(uintptr_t a, uintptr_t *v)
{
    if (tb_unlikely(!proven)) return ask_kernel(a, v, sizeof *v);
    *v = *(const uintptr_t *)a;
    return 1;
}

static int is_of_type(uintptr_t object, uintptr_t type)
{
    uintptr_t t;
    return ask_kernel(object + TYPE, &t, sizeof t) && t == type;
}

/* The text of a string of ASCII characters, cut after so many. */
static int text_of(uintptr_t object, char *to, size_t room)
{
    uintptr_t n, bits;
    if (!is_of_type(object, text_type)) return 0;
    if (!ask_kernel(object + LENGTH, &n, sizeof n) || !ask_kernel(object + STATE, &bits, sizeof bits)) return 0;
    if ((bits & COMPACT_ASCII) != COMPACT_ASCII) {
        strcpy(to, "?");
        return 1;
    }
    if (n >= room) n = room - 1;
    to[n] = 0;
    return ask_kernel(object + layout->ascii, to, n);
}

/* ---- Code of a package ---- */

static char package[PATH_BYTES]; /* its folder, with a slash at the end */
static size_t package_bytes;

void tb_python_package(const struct tb_module *m)
{
    size_t n = strlen(m->path);
    if (package_bytes || n >= sizeof package) return;
    strcpy(package, m->path);
    for (int folders = 0; n > 0 && folders < 2; n--) folders += package[n - 1] == '/' ? 1 : 0;
    package[package_bytes = n + 1] = 0;
}

/* Whether code is in a file of the package: known by where code and the file's name lie, as sites are. */
static int is_packaged(const struct tb_python_position *p)
{
    enum { KNOWN = 1 << 10 };
    static uintptr_t known[KNOWN];
    char file[PATH_BYTES];
    uintptr_t key = (p->code * 31 ^ p->file) << 1, *at = &known[(p->code >> 4 ^ p->file >> 5) % KNOWN];
    uintptr_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);
    if (tb_likely((seen & ~(uintptr_t)1) == key)) return (int)(seen & 1);
    int is = text_of(p->file, file, sizeof file) && strncmp(file, package, package_bytes) == 0;
    __atomic_store_n(at, key | (uintptr_t)is, __ATOMIC_RELAXED);
    return is;
}

/* ---- Frames ---- */

/* The next frame, outwards, that stands for Python. */
static int skip_c(uintptr_t *frame)
{
    uintptr_t owner;
    for (int i = 0; layout->owner; i++) {
        if (!get(*frame + layout->owner, &owner)) return 0;
        if ((owner & 255) != OWNED_BY_C) return 1;
        if (i == 8 || !get(*frame + layout->previous, frame) || !*frame) return 0;
    }
    return 1;
}

static int position_of(uintptr_t frame, struct tb_python_position *p)
{
    uintptr_t at;
    if (!get(frame + layout->code, &p->code) || !p->code || !get(frame + layout->at, &at)) return 0;
    p->at = layout->at_unit ? (int)at * (int)layout->at_unit : (int)(at - p->code - layout->instructions);
    /* Another function may come to lie where this one does. */
    return get(p->code + layout->name, &p->name) && get(p->code + layout->file, &p->file);
}

/* The innermost frame of this thread that is Python, and then the first one whose code is not the package's. */
int tb_python_position(struct tb_python_position *p, int outside)
{
    enum { FRAMES = 64 };
    struct tb_python_position next;
    uintptr_t frame, ts;
    if (state <= 0 || !is_initialized() || !(ts = (uintptr_t)thread_state())) return 0;
    if (!get(ts + layout->frame, &frame) || !frame) return 0;
    if (layout->inner >= 0 && (!get(frame + (unsigned)layout->inner, &frame) || !frame)) return 0;
    if (!skip_c(&frame) || !position_of(frame, p)) return 0;
    next = *p;
    for (int i = 0; outside && i < FRAMES; i++) {
        if (!is_packaged(&next)) {
            *p = next;
            break;
        }
        if (!get(frame + layout->previous, &frame) || !frame || !skip_c(&frame) || !position_of(frame, &next)) break;
    }
    return 1;
}

/* A function of Python is a module of its own, whose places are lines. */
static struct tb_module *module_of(const char *file, const char *name)
{
    static struct tb_module *functions[1 << 8];
    unsigned h = 0;
    for (const char *c = file; *c; c++) h = h * 31 + (unsigned char)*c;
    for (const char *c = name; *c; c++) h = h * 31 + (unsigned char)*c;
    struct tb_module **at = &functions[h % 256], *m;
    if (!tb_shared || !tb_lock_take(&tb_shared->modules)) return NULL;
    for (m = *at; m; m = m->next)
        if (strcmp(m->path, file) == 0 && strcmp(m->build_id + strlen(TB_PYTHON), name) == 0) break;
    if (!m && (m = tb_map_pages(sizeof *m + strlen(file) + 1, 0))) {
        m->path = m->name = strcpy((char *)(m + 1), file);
        strcat(strcpy(m->build_id, TB_PYTHON), name);
        m->high = (uintptr_t)1 << 31;
        m->next = *at;
        *at = m;
    }
    tb_lock_drop(&tb_shared->modules);
    return m;
}

uint64_t tb_python_word(struct tb_thread *t, const struct tb_python_position *p)
{
    char name[NAME_MAX], file[PATH_BYTES];
    if (!is_of_type(p->code, code_type) || !text_of(p->name, name, sizeof name)) return 0;
    if (!text_of(p->file, file, sizeof file)) return 0;
    proven = 1;
    int line = line_of((void *)p->code, p->at);
    struct tb_module *m = module_of(file, name);
    return m && line > 0 && tb_module_announce(t, m) ? tb_module_word(m, (uintptr_t)line) : 0;
}
