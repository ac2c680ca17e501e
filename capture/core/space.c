/* Room for what is recorded while no collector takes it in: on a disk as much as
 * the file system has to spare, in memory only what the program will not miss. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "core/internal.h"

#ifndef TB_ROOT
#define TB_ROOT "" /* in front of the system's paths, for tests */
#endif

enum { TMPFS = 0x01021994, RAMFS = (int)0x858458f6 };

/* What a disk keeps free, at most. */
static const uint64_t disk_reserve = (uint64_t)1 << 30;

static int is_memory(const struct statfs *fs) { return (int)fs->f_type == TMPFS || (int)fs->f_type == RAMFS; }

int tb_space_in_memory(const char *dir)
{
    struct statfs fs;
    return statfs(dir, &fs) == 0 && is_memory(&fs);
}

int tb_space_is_memory(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && is_memory(&fs);
}

/* The text of a small file, empty if there is none. */
static const char *text_of(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t r;
    while (fd >= 0 && n < size - 1 && (r = read(fd, text + n, size - 1 - n)) > 0) n += (size_t)r;
    if (fd >= 0) close(fd);
    text[n] = 0;
    return text;
}

/* The number behind a key at the start of a line, or of the whole text if key is empty; otherwise
 * if there is none. */
static uint64_t number(const char *text, const char *key, uint64_t otherwise)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        const char *at = line + strlen(key);
        while (*at == ' ' || *at == '\t') at++;
        return *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : otherwise;
    }
    return otherwise;
}

/* Whether bytes more leave a quarter of the whole. */
static int spares(uint64_t whole, uint64_t free, uint64_t bytes) { return free >= bytes && free - bytes >= whole / 4; }

static int machine_spares(uint64_t bytes)
{
    char text[4096];
    text_of(TB_ROOT "/proc/meminfo", text, sizeof text);
    uint64_t whole = number(text, "MemTotal:", 0), free = number(text, "MemAvailable:", 0);
    return whole == 0 || spares(whole << 10, free << 10, bytes);
}

struct group { const char *base, *limit, *used, *cache; };

/* A control group without limit says "max", or a number beyond all memory. */
static int group_spares(const struct group *g, const char *path, uint64_t bytes)
{
    char name[1024], text[4096];
    uint64_t none = ~(uint64_t)0;
#define VALUE(file, key, otherwise) \
    (snprintf(name, sizeof name, "%s%s/%s", g->base, path, file), \
     number(text_of(name, text, sizeof text), key, otherwise))
    uint64_t limit = VALUE(g->limit, "", none), used = VALUE(g->used, "", none);
    uint64_t cache = VALUE("memory.stat", g->cache, 0);
#undef VALUE
    if (limit >= (uint64_t)1 << 60 || used == none) return 1;
    used -= cache < used ? cache : used; /* given back when needed */
    return spares(limit, used < limit ? limit - used : 0, bytes);
}

/* Each group on the way up has its own limit. In a container the path may be the
 * host's: then only the last group, the container's own, is there. */
static int groups_spare(uint64_t bytes)
{
    static const struct group v2 = {TB_ROOT "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
                              v1 = {TB_ROOT "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                     "total_inactive_file "};
    char text[4096];
    text_of(TB_ROOT "/proc/self/cgroup", text, sizeof text);
    for (char *line = text, *next; *line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        if (end) *end = 0;
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = 0;
        const struct group *g = controllers[1] == 0 ? &v2 : strstr(controllers, "memory") ? &v1 : NULL;
        if (!g || strlen(path) > 512) continue;
        for (char *slash = path + strlen(path); slash; slash = strrchr(path, '/')) {
            *slash = 0;
            if (!group_spares(g, path, bytes)) return 0;
        }
    }
    return 1;
}

int tb_space_for(const char *dir, uint64_t bytes)
{
    struct statfs fs;
    if (statfs(dir, &fs) != 0) return 0;
    uint64_t block = (uint64_t)fs.f_bsize, free = fs.f_bavail * block, keep = fs.f_blocks * block / 16;
    int memory = (int)fs.f_type == TMPFS || (int)fs.f_type == RAMFS;
    if (!memory && keep > disk_reserve) keep = disk_reserve;
    if (fs.f_blocks && (free < bytes || free - bytes < keep)) return 0;
    return !memory || (machine_spares(bytes) && groups_spare(bytes));
}
