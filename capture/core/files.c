/* Files of the runtime: see files.h. */
#define _GNU_SOURCE
#include "core/files.h"
#include "core/guard.h"
#include "core/internal.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing is done in a directory that others may change: what lies there could be a link, or theirs. */
static int private_dir(const char *dir)
{
    struct stat st;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0) return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

static int open_kind(const char *dir, const char *name, int flags, mode_t kind)
{
    struct stat st;
    int at = private_dir(dir);
    if (at < 0) return -1;
    /* O_NONBLOCK: a FIFO would block us. */
    int fd = openat(at, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600), why = errno;
    close(at);
    errno = why;
    if (fd < 0) return -1;
    /* Also for the collector, whatever the umask. */
    if (fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() &&
        ((st.st_mode & 0600) == 0600 || fchmod(fd, 0600) == 0)) return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

int tb_file_open(const char *dir, const char *name, int flags) { return open_kind(dir, name, flags, S_IFREG); }
int tb_fifo_open(const char *dir, const char *name) { return open_kind(dir, name, O_WRONLY, S_IFIFO); }

void tb_file_remove(const char *dir, const char *name)
{
    int at = private_dir(dir);
    if (at < 0) return;
    unlinkat(at, name, 0);
    close(at);
}

void *tb_file_map(int fd, size_t bytes)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size < 0 || (size_t)st.st_size < bytes) return NULL;
    /* Of a network file system that goes away meanwhile the kernel (6.18, FUSE) would try to get pages for ever. */
    int populate = tb_space_is_memory(fd) ? MAP_POPULATE : 0;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | populate, fd, 0);
    if (p == MAP_FAILED) return NULL;
    if (tb_guard_add(p, bytes)) return p;
    munmap(p, bytes);
    return NULL;
}

void tb_file_unmap(void *p, size_t bytes)
{
    tb_guard_remove(p);
    munmap(p, bytes);
}
