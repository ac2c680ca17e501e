/* In place of what makes events of calls: writes them as they come, for each thread into a file of its own in
 * TABARD_DIR, and stands for the core under capture/functions. */
#pragma GCC target("general-regs-only")
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "core/api.h"
#include "core/files.h"
#include "functions/stubs.h"

struct tb_process tb_process;
static struct tb_thread nobody;
__thread struct tb_thread *tb_self __attribute__((tls_model("initial-exec"))) = &nobody;
struct tb_thread *tb_current(void) { return NULL; }
size_t tb_read_file(const char *path, char *to, size_t size) { return (void)path, (void)size, *to = 0, (size_t)0; }
void tb_loads_start(void) {}
int tb_is_registered(void) { return tb_process.pid == 0 || tb_process.pid == (int)getpid(); }

int tb_file_open(const char *dir, const char *name, int flags)
{
    char path[2048];
    strcpy(path, dir);
    strcat(path, "/");
    strcat(path, name);
    return open(path, flags);
}

__attribute__((constructor(101))) static void set_up(void)
{
    const char *dir = getenv("TABARD_DIR"), *pid = getenv("TABARD_TEST_PID");
    if (dir) strcpy(tb_process.dir, dir);
    if (pid) tb_process.pid = atoi(pid);
}

/* A record: the stack pointer, and the function + 1, or 0 for a return; 1 << 31 + ... for another stack. */
struct record { uint64_t sp, what; };
enum { RECORDS = 1 << 16 };
#if defined(__aarch64__)
#define LOG_BYTES (1L << 28) /* an emulator may need memory for all that is mapped */
#else
#define LOG_BYTES ((1L << 20) * RECORDS)
#endif
struct log { struct record *at; uint64_t n; int fd; };
static __thread struct log log_ __attribute__((tls_model("initial-exec")));
static int count_only;
static uint64_t counted;

static void child(void) { log_ = (struct log){0}; }

static void more(struct log *l)
{
    char name[1200];
    long tid = tb_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
    char *to = name, digits[20];
    int n = 0;
    if (!l->at) {
        for (const char *c = tb_process.dir; *c; c++) *to++ = *c;
        for (const char *c = "/log."; *c; c++) *to++ = *c;
        for (; tid; tid /= 10) digits[n++] = (char)('0' + tid % 10);
        while (n) *to++ = digits[--n];
        *to = 0;
        l->fd = (int)tb_kernel(SYS_openat, AT_FDCWD, (long)name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600, 0, 0);
        l->at = (struct record *)tb_kernel(SYS_mmap, 0, LOG_BYTES, PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_NORESERVE, l->fd, 0);
    }
    tb_kernel(SYS_ftruncate, l->fd, (long)(((l->n / RECORDS) + 2) * RECORDS * sizeof(struct record)), 0, 0, 0, 0);
}

static void add(const void *sp, uint64_t what)
{
    struct log *l = &log_;
    uint64_t n;
    if (count_only) {
        counted++;
        return;
    }
    if (!l->at) more(l);
    n = __atomic_fetch_add(&l->n, 1, __ATOMIC_RELAXED); /* at once, for signals */
    if (n % RECORDS == 0) more(l); /* there is room for what signals bring meanwhile */
    l->at[n] = (struct record){(uintptr_t)sp, what};
}

/* As what writes events does, vector code changes all registers, if TABARD_TEST_SPOIL is set. */
#if defined(__aarch64__)
static int spoils;
void spoil(void *);
__asm__("spoil:\n .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, "
        "26, 27, 28, 29, 30, 31\n movi v\\i\\().16b, #85\n .endr\n ret\n");
#else
enum { spoils = 0 };
static void spoil(void *unused) { (void)unused; }
#endif

int tb_function_enter(uint32_t function, const void *sp)
{
    add(sp, (uint64_t)function + 1);
    if (spoils) tb_function_saved(spoil, NULL);
    return 1;
}
void tb_function_leave(const void *sp) { add(sp, 0); }
void tb_function_stack(uintptr_t low, uintptr_t high) { add((void *)low, (uint64_t)1 << 63 | high); }

uint32_t tb_functions_register(const struct tb_function_image *image)
{
    static uint32_t next;
    char name[64];
    uint32_t base = next;
    count_only = getenv("TABARD_TEST_COUNT") != NULL;
    pthread_atfork(NULL, NULL, child);
#if defined(__aarch64__)
    spoils = getenv("TABARD_TEST_SPOIL") != NULL;
#endif
    next += image->count;
    FILE *f;
    snprintf(name, sizeof name, "%s/images.%d", "", (int)getpid());
    char path[2048];
    strcpy(path, tb_process.dir);
    strcat(path, name);
    if (!(f = fopen(path, "a"))) return ~0u;
    fprintf(f, "%u %u %lx %s\n", base, image->count, (unsigned long)image->bias, image->path);
    fclose(f);
    return base;
}
