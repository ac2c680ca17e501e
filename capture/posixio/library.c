/* The functions behind ours, and when I/O is recorded: if --events names it, in processes that `tabard record` became,
 * from their start on; in others, such as those of a script, from their first MPI call on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include "core/lock.h"
#include "memory/memory.h"
#include "core/ids.h"
#include "posixio/library.h"
#include "posixio/wrapper.h"

int tb_io_on, tb_io_pid;

/* ---- Finding functions ---- */

/* dlsym may allocate, and allocators may read files when they start: for them, straight from the kernel. */
static TB_TLS int looking;

void tb_io_look(void **slot, const char *name)
{
    int saved = errno;
    looking++;
    void *p = dlsym(RTLD_NEXT, name);
    looking--;
    __atomic_store_n(slot, p, __ATOMIC_RELEASE);
    errno = saved;
}

static int raw_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
static int raw_openat(int at, const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, at, path, flags, mode);
}
static ssize_t raw_read(int fd, void *to, size_t n) { return syscall(SYS_read, fd, to, n); }
static ssize_t raw_pread(int fd, void *to, size_t n, off_t at) { return syscall(SYS_pread64, fd, to, n, at); }
static ssize_t raw_write(int fd, const void *from, size_t n) { return syscall(SYS_write, fd, from, n); }
static off_t raw_lseek(int fd, off_t distance, int whence) { return syscall(SYS_lseek, fd, distance, whence); }
static int raw_close(int fd) { return (int)syscall(SYS_close, fd); }
static int raw_fstat(int fd, struct stat *about) { return (int)syscall(SYS_fstat, fd, about); }
static int raw_stat(const char *path, struct stat *about)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, about, 0);
}
static ssize_t raw_readlink(const char *path, char *to, size_t n)
{
    return syscall(SYS_readlinkat, AT_FDCWD, path, to, n);
}
static int raw_access(const char *path, int mode) { return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode); }

static void *raw_function(const char *name)
{
    static const struct { const char *name; void *function; } all[] = {
        {"open", (void *)raw_open}, {"openat", (void *)raw_openat}, {"read", (void *)raw_read},
        {"pread", (void *)raw_pread}, {"write", (void *)raw_write}, {"lseek", (void *)raw_lseek},
        {"close", (void *)raw_close}, {"fstat", (void *)raw_fstat}, {"stat", (void *)raw_stat},
        {"readlink", (void *)raw_readlink}, {"access", (void *)raw_access},
    };
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0) return all[i].function;
    return NULL;
}

void *tb_io_find(void **slot, const char *name)
{
    if (!looking) tb_io_look(slot, name);
    if (*slot) return *slot;
    void *raw = raw_function(name);
    if (raw) return raw;
    static const char text[] = "tabard: symbol lookup error: the C library lacks a function that the program needs: ";
    syscall(SYS_write, 2, text, sizeof text - 1);
    syscall(SYS_write, 2, name, strlen(name));
    syscall(SYS_write, 2, "\n", 1L);
    _exit(127); /* as the dynamic linker does */
}

/* ---- When I/O is recorded ---- */

static void in_child(void)
{
    tb_io_on = 0;
    tb_file_maps = NULL;
}

static void switch_on(void)
{
    if (tb_io_on) return;
    tb_io_pid = (int)getpid();
    pthread_atfork(NULL, NULL, in_child);
    tb_io_find_all();
    tb_file_maps = &tb_io_maps;
    tb_io_on = 1;
}

static void loaded(void)
{
    if (tb_is_chosen(TB_ID_open) && tb_is_registered()) switch_on();
}

static void start(void)
{
    if (tb_is_chosen(TB_ID_open)) switch_on();
}

const struct tb_api tb_api_posixio = {
    .loaded = loaded,
    .start = start,
};
