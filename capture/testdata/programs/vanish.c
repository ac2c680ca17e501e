/* Preloaded in front of the runtime: the file of the third segment is gone before anything
 * was written to it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    static void *(*next)(void *, size_t, int, int, int, off_t);
    static int segments;
    if (!next) {
        void *f = dlsym(RTLD_NEXT, "mmap");
        memcpy(&next, &f, sizeof f);
    }
    void *p = next(at, bytes, protection, flags, fd, offset);
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (p == MAP_FAILED || fd < 0 || readlink(link, path, sizeof path - 1) < 0) return p;
    if (strstr(path, "/s.") && ++segments == 3 && (ftruncate(fd, 0) != 0 || unlink(path) != 0)) perror(path);
    return p;
}
