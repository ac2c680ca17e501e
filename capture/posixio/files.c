/* Which descriptors are of regular files, and where in them the program is.
 *
 * Positions are counted along: asking the kernel would cost as much as a short read. They are wrong for a file that a
 * forked child reads or writes through the same open file. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/syscall.h>
#include "core/api.h"
#include "core/ids.h"
#include "posixio/library.h"
#include "posixio/wrapper.h"
#include "sites/sites.h"

struct tb_io_fd tb_io_fds[TB_IO_FDS];
struct tb_io_file tb_io_files[TB_IO_FDS];

/* ---- Whose calls, which files ---- */

static int is_below(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    return n > 0 && strncmp(path, dir, n) == 0 && (path[n] == 0 || path[n] == '/');
}

static int is_recorded(const char *path)
{
    static const char *const kernels[] = {"/proc", "/sys", "/dev", "/memfd:", NULL};
    for (int i = 0; kernels[i]; i++)
        if (strncmp(path, kernels[i], strlen(kernels[i])) == 0 && (is_below(path, kernels[i]) || kernels[i][1] == 'm'))
            return 0;
    return !is_below(path, tb_process.dir) && !is_below(path, tb_process.spill);
}

int tb_io_named(const char *path, void *caller)
{
    return path && is_recorded(path) && !tb_is_own(caller) && !tb_caller_is_library(caller);
}

/* Not the C library's function, which is behind one of ours. */
static int look_at(int fd, struct stat *about) { return syscall(SYS_fstat, fd, about) == 0; }

/* A child that shares our memory has descriptors of its own. */
static int in_child(void) { return (int)syscall(SYS_getpid) != tb_io_pid; }

/* ---- Descriptors ---- */

/* A file for a descriptor, which usually has the same number. */
static uint32_t new_file(int fd)
{
    for (uint32_t i = 0; i < TB_IO_FDS; i++) {
        uint32_t at = ((uint32_t)fd - i) % TB_IO_FDS, none = 0;
        if (__atomic_compare_exchange_n(&tb_io_files[at].refs, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return at;
    }
    return 0; /* there are as many files as descriptors: cannot happen */
}

static void become(int fd, int state, uint32_t file, int append)
{
    tb_io_fds[fd].file = file;
    tb_io_fds[fd].append = (uint8_t)append;
    __atomic_store_n(&tb_io_fds[fd].state, (uint8_t)state, __ATOMIC_RELEASE);
}

static void forget(int fd)
{
    if ((unsigned)fd >= TB_IO_FDS) return;
    int was = __atomic_exchange_n(&tb_io_fds[fd].state, TB_IO_UNKNOWN, __ATOMIC_ACQ_REL);
    if (was == TB_IO_REGULAR) __atomic_sub_fetch(&tb_io_files[tb_io_fds[fd].file].refs, 1, __ATOMIC_ACQ_REL);
}

void tb_io_closing(int fd)
{
    if ((unsigned)fd < TB_IO_FDS && !tb_io_is(fd, TB_IO_UNKNOWN) && !in_child()) forget(fd);
}

void tb_io_replaced(int fd, int to)
{
    if (fd != to) tb_io_closing(to);
}

void tb_io_dup(int fd, int copy)
{
    if ((unsigned)copy >= TB_IO_FDS || fd == copy || in_child()) return;
    forget(copy);
    uint32_t file = tb_io_fds[fd].file;
    __atomic_add_fetch(&tb_io_files[file].refs, 1, __ATOMIC_ACQ_REL);
    become(copy, TB_IO_REGULAR, file, tb_io_fds[fd].append);
}

static void begin_file(int fd, int64_t at, int append)
{
    uint32_t file = new_file(fd);
    __atomic_store_n(&tb_io_files[file].at, at, __ATOMIC_RELAXED);
    become(fd, TB_IO_REGULAR, file, append);
}

/* A descriptor was opened under a name. */
static int opened(int fd, const char *path, int append, void *caller)
{
    struct stat about;
    if ((unsigned)fd >= TB_IO_FDS || in_child()) return 0;
    forget(fd); /* it was closed out of sight */
    int saved = errno, named = tb_io_named(path, caller), regular = named && look_at(fd, &about) &&
        S_ISREG(about.st_mode);
    if (regular) begin_file(fd, append ? about.st_size : 0, append);
    else become(fd, TB_IO_OTHER, 0, 0);
    errno = saved;
    return regular;
}

int tb_io_opened(int fd, const char *path, int flags, void *caller)
{
    return fd < 0 ? tb_io_named(path, caller) : opened(fd, path, (flags & O_APPEND) != 0, caller);
}

int tb_io_opened_stream(FILE *stream, const char *path, const char *mode, int *fd, void *caller)
{
    if (!stream) return tb_io_named(path, caller);
    *fd = tb_io_number(stream);
    return opened(*fd, path, mode[0] == 'a', caller);
}

int tb_io_opened_directory(DIR *dir, const char *path, int *fd, void *caller)
{
    int named = tb_io_named(path, caller);
    if (!dir) return named;
    *fd = dirfd(dir);
    if ((unsigned)*fd >= TB_IO_FDS || in_child()) return 0;
    forget(*fd);
    become(*fd, named ? TB_IO_DIRECTORY : TB_IO_OTHER, 0, 0);
    return named;
}

/* ---- Descriptors that were there before ---- */

static void record_inherited(int fd, const char *path, void *return_address, void *frame)
{
    struct tb_call c;
    if (!tb_enter(&c, TB_ID_tabard_inherited, 0, return_address, frame, 1)) return;
    tb_put_string(&c, path);
    tb_begin(&c);
    if (tb_end(&c, 0, 1)) tb_put_int(&c, fd);
    tb_commit(&c);
}

int tb_io_classify(int fd, void *return_address, void *frame)
{
    struct stat about;
    char link[64], path[4096];
    int saved = errno;
    if (in_child()) return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = -1;
    if (look_at(fd, &about) && S_ISREG(about.st_mode))
        n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    int regular = n > 0 && is_recorded(path);
    if (regular) {
        long at = syscall(SYS_lseek, fd, 0L, SEEK_CUR), flags = syscall(SYS_fcntl, fd, F_GETFL);
        begin_file(fd, at > 0 ? at : 0, flags > 0 && flags & O_APPEND);
        record_inherited(fd, path, return_address, frame);
    } else {
        become(fd, TB_IO_OTHER, 0, 0);
    }
    errno = saved;
    return regular ? fd : -1;
}

/* ---- Positions ---- */

int64_t tb_io_appended(int on, int64_t n)
{
    int saved = errno;
    int64_t end = syscall(SYS_lseek, on, 0L, SEEK_CUR);
    errno = saved;
    if (end < n) return tb_io_moved(on, n);
    tb_io_set(on, end);
    return end - n;
}

int64_t tb_io_tell(int on, FILE *stream)
{
    static void *real;
    int saved = errno;
    if (!real) tb_io_look(&real, "ftello");
    int64_t at = real ? (int64_t)((__typeof__(&ftello))real)(stream) : -1;
    errno = saved;
    if (at >= 0) tb_io_set(on, at);
    return at;
}

int64_t tb_io_told(int on, FILE *stream, int64_t *n)
{
    int64_t before = tb_io_moved(on, 0), after = tb_io_tell(on, stream);
    *n = after > before ? after - before : 0;
    return before;
}

/* ---- fcntl, whose third argument may be anything that fits ---- */

TB_EXPORT int fcntl(int fd, int command, ...)
{
    static void *real;
    va_list more;
    va_start(more, command);
    long argument = va_arg(more, long);
    va_end(more);
    __typeof__(&fcntl) f = (__typeof__(&fcntl))(tb_likely(real != NULL) ? real : tb_io_find(&real, "fcntl"));
    int copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC, on = -1;
    if (tb_likely(!tb_io_on) || (!copies && command != F_SETFL) || (on = tb_io_fd(fd)) < 0)
        return f(fd, command, argument);
    struct tb_call c;
    int is = copies && TB_ENTER(&c, TB_ID_fcntl, 2);
    if (is) {
        tb_put_int(&c, fd);
        tb_put_int(&c, command);
        tb_begin(&c);
    }
    int r = f(fd, command, argument), e = errno;
    if (copies) tb_io_dup(fd, r);
    else if (r == 0) tb_io_fds[on].append = (argument & O_APPEND) != 0;
    if (is) {
        if (tb_end(&c, r < 0 ? e : 0, 1) && r >= 0) tb_put_int(&c, r);
        tb_commit(&c);
    }
    errno = e;
    return r;
}
TB_ALIAS(fcntl64, fcntl);
