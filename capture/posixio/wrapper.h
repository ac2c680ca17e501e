/* What the wrappers of the C library's functions need beside core/call.h: which descriptors are of regular files, and
 * where in them. While no I/O is recorded they are as good as not there: one branch. */
#ifndef TABARD_POSIXIO_H
#define TABARD_POSIXIO_H
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "core/core.h"
#include "core/readable.h"

#pragma GCC visibility push(hidden)

extern int tb_io_on; /* I/O is recorded in this process, from now on */

/* ---- The functions behind ours ---- */

void *tb_io_find(void **slot, const char *name); /* never NULL, as tb_resolve */
void tb_io_look(void **slot, const char *name);  /* NULL if there is none */
void tb_io_find_all(void);                       /* of the generated wrappers */

/* Another symbol for a function above, whatever headers say of it. */
#define TB_ALIAS(name, function) __asm__(".globl " #name "\n.type " #name ", %function\n.set " #name ", " #function)

/* ---- Descriptors ---- */

enum { TB_IO_FDS = 1 << 16 }; /* larger ones are not recorded */
enum { TB_IO_UNKNOWN, TB_IO_OTHER, TB_IO_REGULAR, TB_IO_DIRECTORY };
struct tb_io_fd {
    uint8_t state;    /* TB_IO_*: what it is; written last */
    uint8_t append;   /* each write goes to the end */
    uint32_t file;    /* in tb_io_files: shared by those that dup made */
};
struct tb_io_file {
    int64_t at;       /* the position, of a stream that of the stream */
    uint32_t refs;    /* descriptors; 0: free */
};
extern struct tb_io_fd tb_io_fds[TB_IO_FDS];
extern struct tb_io_file tb_io_files[TB_IO_FDS];

TB_COLD int tb_io_classify(int fd, void *return_address, void *frame);

static inline int tb_io_is(int fd, int state)
{
    return (unsigned)fd < TB_IO_FDS && __atomic_load_n(&tb_io_fds[fd].state, __ATOMIC_ACQUIRE) == state;
}

/* The descriptor if it is one of a regular file that is recorded, else -1. One that nobody has seen is looked at, on
 * behalf of the wrapper. Keeps errno. */
#define tb_io_fd(fd) tb_io_seen(fd, __builtin_return_address(0), TB_FRAME())
static inline int tb_io_seen(int fd, void *return_address, void *frame)
{
    if ((unsigned)fd >= TB_IO_FDS) return -1;
    int state = __atomic_load_n(&tb_io_fds[fd].state, __ATOMIC_ACQUIRE);
    if (tb_likely(state == TB_IO_REGULAR)) return fd;
    return state == TB_IO_UNKNOWN ? tb_io_classify(fd, return_address, frame) : -1;
}
static inline int tb_io_known(int fd) { return tb_io_is(fd, TB_IO_REGULAR) ? fd : -1; }

static inline int tb_io_number(FILE *stream)
{
    int saved = errno, fd = stream ? fileno(stream) : -1; /* fflush of all */
    if (fd < 0) errno = saved;
    return fd;
}
#define tb_io_stream(stream) tb_io_seen(tb_io_number(stream), __builtin_return_address(0), TB_FRAME())
#define tb_io_known_stream(stream) tb_io_known(tb_io_number(stream))
static inline int tb_io_directory_number(DIR *dir) { return dir ? dirfd(dir) : -1; }
static inline int tb_io_directory(DIR *dir)
{
    int fd = tb_io_directory_number(dir);
    return tb_io_is(fd, TB_IO_DIRECTORY) ? fd : -1;
}
#define tb_io_known_directory tb_io_directory
int tb_io_mapping(const void *address); /* not negative if a recorded mapping begins there */

/* ---- What calls do to them ---- */

#define TB_CALLER __builtin_return_address(0)
/* A name after a call that failed, which need not have looked at it: NULL if there is none to be read. */
#define TB_NAME(name) (name) = (__typeof__(name))tb_readable_text(name)
/* Whether a call that names a file is recorded: not if it is one of the kernel's or of ours, or if the runtime or the
 * traced library calls. */
int tb_io_named(const char *path, void *caller);
/* After a call that opens a file: likewise, and only regular files. Keeps errno. */
int tb_io_opened(int fd, const char *path, int flags, void *caller);
int tb_io_opened_stream(FILE *stream, const char *path, const char *mode, int *fd, void *caller);
int tb_io_opened_directory(DIR *dir, const char *path, int *fd, void *caller);
void tb_io_closing(int fd);             /* about to be closed; keeps errno */
void tb_io_replaced(int fd, int to);    /* dup2 is about to close to */
void tb_io_dup(int fd, int copy);       /* copy is another descriptor of the file; < 0: it failed */
/* The offset of an access to on that moved n bytes at the position, which moves. */
static inline int64_t tb_io_moved(int on, int64_t n)
{
    return __atomic_fetch_add(&tb_io_files[tb_io_fds[on].file].at, n > 0 ? n : 0, __ATOMIC_RELAXED);
}
int64_t tb_io_appended(int on, int64_t n);
static inline int64_t tb_io_wrote(int on, int64_t n)
{
    return tb_unlikely(tb_io_fds[on].append) && n >= 0 ? tb_io_appended(on, n) : tb_io_moved(on, n);
}
#define tb_io_wrote_stream tb_io_moved /* of what it writes to the end, the end as it was when the file was opened */
static inline void tb_io_set(int on, int64_t at)
{
    __atomic_store_n(&tb_io_files[tb_io_fds[on].file].at, at, __ATOMIC_RELAXED);
}
int64_t tb_io_tell(int on, FILE *stream);              /* asks the stream for its position */
int64_t tb_io_told(int on, FILE *stream, int64_t *n);  /* likewise; the position before, and how far it has moved */
static inline int64_t tb_io_copied(int on, const off_t *position, int64_t n)
{
    if (position == NULL) return tb_io_wrote(on, n);
    return n < 0 ? 0 : *position - n; /* after a failure it may lead nowhere */
}
static inline int64_t tb_io_sum(const struct iovec *parts, int number)
{
    int64_t n = 0;
    for (int i = 0; i < number; i++) n += (int64_t)parts[i].iov_len;
    return n;
}

/* ---- Records ---- */

/* A call that is recorded when it has returned: from tb_io_start to tb_commit or tb_io_stop the collector does not take
 * the thread for idle, so that what other threads do meanwhile comes in its order. */
static inline uint64_t tb_io_start(void)
{
    if (tb_unlikely(tb_self->priv == NULL)) tb_current();
    if (tb_self->seg && !tb_self->outer) tb_publish(tb_self->seg->in_call, 1u);
    return tb_now();
}
static inline void tb_io_stop(void)
{
    if (tb_self->seg && !tb_self->outer) tb_publish(tb_self->seg->in_call, 0u);
}
static inline void tb_io_put_string(struct tb_call *c, const char *s, unsigned parameter)
{
    if (s) tb_put_string(c, s);
    else c->absent |= 1u << parameter;
}

extern const struct tb_file_maps tb_io_maps; /* of mapping.c */

#define TB_OPEN_MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list tb_more; \
        va_start(tb_more, flags); \
        mode = va_arg(tb_more, mode_t); \
        va_end(tb_more); \
    }

#pragma GCC visibility pop
#endif
