/* Threads that wait for each other: locks, semaphores, conditions and barriers. A lock or semaphore is tried first, and
 * what is free at once is not recorded, so that only contention costs. Without --events=threads each function is one
 * branch and a jump. Not recorded are calls by the runtime and by the traced library, also in threads that a library
 * has made for itself, and calls by what allocates memory, which must not be interrupted by us. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include "core/core.h"
#include "core/ids.h"
#include "core/lock.h"
#include "sites/modules.h"
#include "sites/sites.h"
#include "core/api.h"

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

enum { MUTEX_LOCK, MUTEX_TRYLOCK, MUTEX_TIMEDLOCK, MUTEX_CLOCKLOCK, RDLOCK, TRYRDLOCK, WRLOCK, TRYWRLOCK, SEM_WAIT,
    COND_WAIT,
       COND_TIMEDWAIT, COND_CLOCKWAIT, BARRIER_WAIT, FUNCTIONS };
static const char *const names[FUNCTIONS] = {
    "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock", "pthread_mutex_clocklock",
    "pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_wrlock", "pthread_rwlock_trywrlock",
        "sem_wait",
    "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "pthread_barrier_wait",
};
static void *functions[FUNCTIONS];
static TB_TLS int looking;

#if defined(__x86_64__)
static const void *object_of(const void *address)
{
    Dl_info about;
    return address && dladdr(address, &about) ? about.dli_fbase : NULL;
}
#endif

/* Before glibc 2.36 RTLD_NEXT without a version finds the C library's oldest one, whose conditions are others on
 * x86-64. What another library has in front of that, such as a sanitizer's, is right as it is. */
static void *search(int f)
{
    void *found = dlsym(RTLD_NEXT, names[f]);
#if defined(__x86_64__)
    if (f == COND_WAIT || f == COND_TIMEDWAIT) {
        void *usual = dlvsym(RTLD_NEXT, names[f], "GLIBC_2.3.2");
        if (usual && object_of(usual) == object_of(found)) found = usual;
    }
#endif
    return found;
}

static TB_COLD void *look(int f)
{
    int saved = errno;
    looking++;
    void *found = search(f);
    looking--;
    __atomic_store_n(&functions[f], found, __ATOMIC_RELEASE);
    errno = saved;
    return found;
}

/* Not at their first use, where the caller may hold what the dynamic linker waits for; but for those that are called
 * before this. */
__attribute__((constructor)) static void look_for_all(void)
{
    for (int f = 0; f < FUNCTIONS; f++) look(f);
}

static inline void *behind(int f)
{
    void *found = __atomic_load_n(&functions[f], __ATOMIC_ACQUIRE);
    return tb_likely(found != NULL) || looking ? found : look(f);
}
#define NEXT(name, f) __typeof__(name) *next_##name = (__typeof__(name) *)behind(f)

/* ---- Records ---- */

/* Where the object lies that allocates memory: nowhere, if that is not known. */
static uintptr_t allocator_low, allocator_high;

static int is_of_allocator(const void *caller)
{
    return (uintptr_t)caller - allocator_low < allocator_high - allocator_low;
}

/* Without a question to the dynamic linker: the thread may hold a lock that another one waits for, inside of dlopen. */
static int is_recorded(void *caller)
{
    if (tb_is_own(caller) || is_of_allocator(caller) || !tb_life_is_followed()) return 0;
    struct tb_module *m = tb_module_of((uintptr_t)caller - 1);
    return !m || m->kind != TB_MODULE_LIBRARY;
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
#define LOCK(f, number, try, try_number, plain, plain_try, parameters, arguments)                \
    TB_EXPORT int f parameters                                                                   \
    {                                                                                            \
        NEXT(f, number);                                                                         \
        if (tb_unlikely(!next_##f)) return plain;                                                \
        if (tb_likely(!on)) return next_##f arguments;                                           \
        NEXT(try, try_number);                                                                   \
        int tried = next_##try ? next_##try(lock) : plain_try;                                   \
        if (tb_likely(tried != EBUSY)) return tried;                                             \
        RECORDED(TB_ID_##f, next_##f arguments, result);                                         \
    }

LOCK(pthread_mutex_lock, MUTEX_LOCK, pthread_mutex_trylock, MUTEX_TRYLOCK, tb_plain_lock(lock), tb_plain_trylock(lock),
     (pthread_mutex_t *lock), (lock))
LOCK(pthread_mutex_timedlock, MUTEX_TIMEDLOCK, pthread_mutex_trylock, MUTEX_TRYLOCK, ENOSYS, EBUSY,
     (pthread_mutex_t *restrict lock, const struct timespec *restrict until), (lock, until))
LOCK(pthread_mutex_clocklock, MUTEX_CLOCKLOCK, pthread_mutex_trylock, MUTEX_TRYLOCK, ENOSYS, EBUSY,
     (pthread_mutex_t *restrict lock, clockid_t clock, const struct timespec *restrict until), (lock, clock, until))
LOCK(pthread_rwlock_rdlock, RDLOCK, pthread_rwlock_tryrdlock, TRYRDLOCK, ENOSYS, EBUSY, (pthread_rwlock_t *lock),
    (lock))
LOCK(pthread_rwlock_wrlock, WRLOCK, pthread_rwlock_trywrlock, TRYWRLOCK, ENOSYS, EBUSY, (pthread_rwlock_t *lock),
    (lock))

TB_EXPORT int sem_wait(sem_t *s)
{
    NEXT(sem_wait, SEM_WAIT);
    if (tb_unlikely(!next_sem_wait)) return errno = ENOSYS, -1;
    if (tb_likely(!on)) return next_sem_wait(s);
    int saved = errno;
    pthread_testcancel(); /* as it does, which trying does not */
    if (sem_trywait(s) == 0) return 0;
    errno = saved;
    RECORDED(TB_ID_sem_wait, next_sem_wait(s), result ? saved : 0);
}

#define WAIT(f, number, parameters, arguments, failed)                                           \
    TB_EXPORT int f parameters                                                                   \
    {                                                                                            \
        NEXT(f, number);                                                                         \
        if (tb_unlikely(!next_##f)) return ENOSYS;                                               \
        if (tb_likely(!on)) return next_##f arguments;                                           \
        RECORDED(TB_ID_##f, next_##f arguments, failed);                                         \
    }

WAIT(pthread_cond_wait, COND_WAIT, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock),
    (condition, lock), result)
WAIT(pthread_cond_timedwait, COND_TIMEDWAIT,
     (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, const struct timespec *restrict until),
     (condition, lock, until), result)
WAIT(pthread_cond_clockwait, COND_CLOCKWAIT,
     (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, clockid_t clock,
      const struct timespec *restrict until),
     (condition, lock, clock, until), result)
WAIT(pthread_barrier_wait, BARRIER_WAIT, (pthread_barrier_t *barrier), (barrier),
    result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : result)

/* ---- When waits are recorded ---- */

static void in_child(void) { on = 0; }

static void switch_on(void)
{
    if (on) return;
    void *allocate = dlsym(RTLD_DEFAULT, "malloc");
    if (tb_is_own(allocate)) allocate = dlsym(RTLD_NEXT, "malloc");
    struct tb_module *m = allocate ? tb_module_of((uintptr_t)allocate) : NULL;
    if (m && !m->main) allocator_low = m->low, allocator_high = m->high;
    pthread_atfork(NULL, NULL, in_child);
    on = 1;
}

static void loaded(void)
{
    if (tb_is_chosen(TB_ID_pthread_mutex_lock) && tb_is_registered()) switch_on();
}

static void start(void)
{
    if (tb_is_chosen(TB_ID_pthread_mutex_lock)) switch_on();
}

/* So that it is known whose thread it is. */
static void thread_is_created(void)
{
    if (on && !tb_self->outer && tb_life_is_followed()) tb_current();
}

const struct tb_api tb_api_threads = {
    .loaded = loaded,
    .start = start,
    .thread_is_created = thread_is_created,
};
