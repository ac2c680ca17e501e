/* An independent counter of MPI calls, to check Tabard's counts against.
 *
 * It is no PMPI tool and keeps no table of MPI functions: as an auditor of the
 * dynamic linker (LD_AUDIT) it sees each binding of a symbol MPI_* or PMPI_*
 * from one loaded object to another. A binding that leaves the application, a
 * language binding or mpi4py is redirected through a generated stub
 *     lock incq counter ; jmp target
 * and one that leaves the MPI library, its plugins or Tabard is left alone.
 * What is counted are therefore the calls that application code makes, above
 * any preloaded tool, whatever that tool does below.
 *
 *   cc -O2 -fPIC -shared -o counter.so counter.c
 *   LD_AUDIT=./counter.so MPI_COUNTER_DIR=DIR program
 *
 * Each process leaves DIR/<pid>.counts: struct entry, mapped shared, so that
 * the counts survive any death. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the stubs are x86-64 code"
#endif

enum { ENTRIES = 1024, STUB_BYTES = 32 };

struct entry {
    char name[56];
    uint64_t count;
};

static struct entry *entries; /* in the file; NULL: not counting */
static uint8_t *stubs;
static int used, stubs_used;

/* Objects whose calls are not the application's. */
static const char *const internals[] = {"libmpi.so", "libmpich.so", "libopen-", "mca_", "libmca_", "libompi", "libompitrace", "libpmix", "libtabard", "libuc"};

static int is_internal(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof internals / sizeof *internals; i++)
        if (!strncmp(name, internals[i], strlen(internals[i]))) return 1;
    return 0;
}

unsigned la_version(unsigned version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

unsigned la_objopen(struct link_map *m, Lmid_t lmid, uintptr_t *cookie)
{
    *cookie = is_internal(m->l_name);
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

static int prepare(void)
{
    static int tried;
    if (tried) return entries != NULL;
    tried = 1;
    const char *dir = getenv("MPI_COUNTER_DIR");
    char path[4096];
    if (!dir || snprintf(path, sizeof path, "%s/%d.counts", dir, (int)getpid()) >= (int)sizeof path) return 0;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || ftruncate(fd, ENTRIES * sizeof(struct entry))) return 0;
    void *m = mmap(NULL, ENTRIES * sizeof(struct entry), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void *s = mmap(NULL, 2 * ENTRIES * STUB_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    close(fd);
    if (m == MAP_FAILED || s == MAP_FAILED) return 0;
    entries = m;
    stubs = s;
    return 1;
}

static struct entry *entry_of(const char *name)
{
    for (int i = 0; i < used; i++)
        if (!strcmp(entries[i].name, name)) return &entries[i];
    if (used == ENTRIES || strlen(name) >= sizeof entries->name) return NULL;
    return strcpy(entries[used].name, name), &entries[used++];
}

static uintptr_t stub_for(struct entry *e, uintptr_t target)
{
    if (stubs_used == 2 * ENTRIES) return target;
    uint8_t *p = stubs + STUB_BYTES * stubs_used++, *start = p;
    uintptr_t counter = (uintptr_t)&e->count;
    *p++ = 0x49, *p++ = 0xbb; /* movabs $counter, %r11: not an argument register */
    memcpy(p, &counter, 8), p += 8;
    *p++ = 0xf0, *p++ = 0x49, *p++ = 0xff, *p++ = 0x03; /* lock incq (%r11) */
    *p++ = 0x49, *p++ = 0xbb; /* movabs $target, %r11 */
    memcpy(p, &target, 8), p += 8;
    *p++ = 0x41, *p++ = 0xff, *p++ = 0xe3; /* jmp *%r11 */
    return (uintptr_t)start;
}

/* The dynamic linker holds its lock here: one thread at a time. */
uintptr_t la_symbind64(Elf64_Sym *sym, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags, const char *name)
{
    const char *plain = *name == 'P' ? name + 1 : name;
    uintptr_t target = sym->st_value;
    if (strncmp(plain, "MPI_", 4) || ELF64_ST_TYPE(sym->st_info) == STT_OBJECT || *from) return target;
    if ((uintptr_t)stubs <= target && target < (uintptr_t)(stubs + 2 * ENTRIES * STUB_BYTES)) return target;
    if (!prepare()) return target;
    struct entry *e = entry_of(plain);
    return e ? stub_for(e, target) : target;
}
