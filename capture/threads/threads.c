/* Threads that wait for each other: locks, semaphores, conditions and barriers. A lock or semaphore is tried first, and
 * what is free at once is not recorded, so that only contention costs. Without --events=threads each function is one
 * branch and a jump. Not recorded are calls by the runtime and by the traced library, also in threads that a library has
 * made for itself, and calls by what allocates memory, which must not be interrupted by us. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include "core/core.h"
#include "core/ids.h"
#include "core/lock.h"
#include "sites/sites.h"
#include "threads/threads.h"

static int on; /* waits are recorded in this process, from now on */

/* ---- The functions behind ours ---- */

/* dlsym may allocate, and an allocator may lock: then by the C library's own names, which all its versions have. */
#if defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#else
#define OLDEST "GLIBC_2.2.5"
#endif
int tb_plain_lock(pthread_mutex_t *), tb_plain_trylock(pthread_mutex_t *);
__asm__(".symver tb_plain_lock, __pthread_mutex_lock@" OLDEST);
__asm__(".symver tb_plain_trylock, __pthread_mutex_trylock@" OLDEST);

static TB_TLS int looking;

static TB_COLD void *look(void **slot, const char *name)
{
    int saved = errno;
    looking++;
    void *found = dlsym(RTLD_NEXT, name);
    looking--;
    __atomic_store_n(slot, found, __ATOMIC_RELEASE);
    errno = saved;
    return found;
}

#define NEXT(f)                                                                                  \
    static void *slot_##f;                                                                       \
    void *found_##f = __atomic_load_n(&slot_##f, __ATOMIC_ACQUIRE);                              \
    if (tb_unlikely(!found_##f) && !looking) found_##f = look(&slot_##f, #f);                    \
    __typeof__(f) *next_##f = (__typeof__(f) *)found_##f

/* ---- Records ---- */

static const void *allocator; /* the object that allocates memory; NULL if it is not known */

static const void *object_of(const void *address)
{
    Dl_info about;
    return address && dladdr(address, &about) ? about.dli_fbase : NULL;
}

static int is_of_allocator(const void *caller) { return allocator && object_of(caller) == allocator; }

extern const char __ehdr_start[], _end[];

static int is_recorded(void *caller)
{
    return !((const char *)caller >= __ehdr_start && (const char *)caller < _end) && tb_life_is_followed() &&
           !tb_caller_is_library(caller) && !is_of_allocator(caller);
}

/* The call of the function behind, recorded as one with this id, and with the error that its result means. */
#define RECORDED(id, call, failed)                                                               \
    do {                                                                                         \
        struct tb_call c;                                                                        \
        if (!is_recorded(__builtin_return_address(0)) || !TB_ENTER(&c, id, 0)) return call;      \
        tb_begin(&c);                                                                            \
        int result = call, saved = errno;                                                        \
        tb_end(&c, failed, 0);                                                                   \
        tb_commit(&c);                                                                           \
        errno = saved;                                                                           \
        return result;                                                                           \
    } while (0)

/* EBUSY is what a thread has to wait for; a lock that it has itself is for the real function to judge. */
#define LOCK(f, try, plain, plain_try, parameters, arguments)                              \
    TB_EXPORT int f parameters                                                                   \
    {                                                                                            \
        NEXT(f);                                                                                 \
        if (tb_unlikely(!next_##f)) return plain;                                                \
        if (tb_likely(!on)) return next_##f arguments;                                           \
        NEXT(try);                                                                               \
        int tried = next_##try ? next_##try(lock) : plain_try;                                   \
        if (tb_likely(tried != EBUSY)) return tried;                                             \
        RECORDED(TB_ID_##f, next_##f arguments, result);                                         \
    }

LOCK(pthread_mutex_lock, pthread_mutex_trylock, tb_plain_lock(lock), tb_plain_trylock(lock),
     (pthread_mutex_t *lock), (lock))
LOCK(pthread_mutex_timedlock, pthread_mutex_trylock, ENOSYS, EBUSY,
     (pthread_mutex_t *restrict lock, const struct timespec *restrict until), (lock, until))
LOCK(pthread_mutex_clocklock, pthread_mutex_trylock, ENOSYS, EBUSY,
     (pthread_mutex_t *restrict lock, clockid_t clock, const struct timespec *restrict until), (lock, clock, until))
LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, ENOSYS, EBUSY, (pthread_rwlock_t *lock), (lock))
LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, ENOSYS, EBUSY, (pthread_rwlock_t *lock), (lock))

TB_EXPORT int sem_wait(sem_t *s)
{
    NEXT(sem_wait);
    if (tb_unlikely(!next_sem_wait)) return errno = ENOSYS, -1;
    if (tb_likely(!on)) return next_sem_wait(s);
    int saved = errno;
    if (sem_trywait(s) == 0) return 0;
    errno = saved;
    RECORDED(TB_ID_sem_wait, next_sem_wait(s), result ? saved : 0);
}

#define WAIT(f, parameters, arguments, failed)                                                   \
    TB_EXPORT int f parameters                                                                   \
    {                                                                                            \
        NEXT(f);                                                                                 \
        if (tb_unlikely(!next_##f)) return ENOSYS;                                               \
        if (tb_likely(!on)) return next_##f arguments;                                           \
        RECORDED(TB_ID_##f, next_##f arguments, failed);                                         \
    }

WAIT(pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock), (condition, lock), result)
WAIT(pthread_cond_timedwait,
     (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, const struct timespec *restrict until),
     (condition, lock, until), result)
WAIT(pthread_cond_clockwait,
     (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, clockid_t clock,
      const struct timespec *restrict until),
     (condition, lock, clock, until), result)
WAIT(pthread_barrier_wait, (pthread_barrier_t *barrier), (barrier), result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : result)

/* ---- When waits are recorded ---- */

static void in_child(void) { on = 0; }

static int is_wanted(void)
{
    return !(tb_events_off() >> (tb_fn_flags[TB_ID_pthread_mutex_lock] >> TB_FN_KIND) & 1);
}

static void switch_on(void)
{
    if (on) return;
    allocator = object_of(dlsym(RTLD_DEFAULT, "malloc"));
    pthread_atfork(NULL, NULL, in_child);
    on = 1;
}

static void loaded(void)
{
    if (is_wanted() && tb_is_registered()) switch_on();
}

static void start(void)
{
    if (is_wanted()) switch_on();
}

/* So that it is known whose thread it is. */
static void thread_is_created(void)
{
    if (on && !tb_self->outer && tb_life_is_followed()) tb_current();
}

const struct tb_api tb_thread_waits = {
    .loaded = loaded,
    .start = start,
    .thread_is_created = thread_is_created,
};
