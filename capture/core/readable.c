/* Whether memory of the program can be read: where a pointer leads that the program gave to a call, and that the call
 * may not have followed. */
#define _GNU_SOURCE
#include "core/readable.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* The kernel reads the mask, and says whether it could, before it refuses to do anything with it. */
int tb_readable(const void *data, size_t bytes)
{
    uintptr_t at = (uintptr_t)data, end = at + bytes;
    if (bytes == 0) return 1;
    if (end < at || at < PAGE) return 0; /* the kernel takes NULL for no mask */
    int saved = errno, readable = 1;
    for (at &= ~(uintptr_t)(PAGE - 1); readable && at < end; at += PAGE) {
        if (at + PAGE < at) return 0;
        readable = syscall(SYS_rt_sigprocmask, ~0, at, NULL, 8) == 0 || errno != EFAULT;
    }
    errno = saved;
    return readable;
}

const char *tb_readable_text(const char *s)
{
    for (const char *p = s; tb_readable(p, 1);) {
        size_t rest = PAGE - ((uintptr_t)p & (PAGE - 1));
        if (memchr(p, 0, rest)) return s;
        p += rest;
    }
    return NULL;
}
