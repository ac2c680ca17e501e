/* The numbers of threads, and who makes and joins them.
 *
 * A thread that is created by one that has made calls gets its number then, the least free one, and keeps it until it
 * is joined (or ends, if nobody may join it). So numbers do not depend on which thread comes first, where a program's
 * own joins say when one is free. Creation and join are recorded between the calls of the threads that do it.
 *
 * What is not known gets a number with its first call, and nothing is recorded of its creation: threads that are
 * created inside of calls (by the library itself), before the creator's first call, and by other ways than
 * pthread_create. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include "core/internal.h"
#include "sites/modules.h"

enum { CHUNK = 64, CHUNKS = 1 << 14 };

static struct tb_life *chunk[CHUNKS];
static uint32_t count;      /* numbers that were given out so far */
static uint32_t least;      /* no smaller one is free */
static pthread_mutex_t lives_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t end_key;
static int end_key_valid;
static __thread struct tb_life *mine __attribute__((tls_model("initial-exec")));

static struct tb_life *life_at(uint32_t number) { return &chunk[number / CHUNK][number % CHUNK]; }

/* With the lock held. */
static struct tb_life *take(void)
{
    while (least < count && life_at(least)->used) least++;
    if (least == count) {
        if (count == CHUNK * CHUNKS) return NULL;
        if (!chunk[count / CHUNK] && !(chunk[count / CHUNK] = tb_map_pages(CHUNK * sizeof(struct tb_life), 0))) return NULL;
        life_at(count)->number = count;
        count++;
    }
    struct tb_life *life = life_at(least);
    life->used = 1;
    life->known = life->detached = life->ended = life->endings = life->named = 0;
    return life;
}

static void give_back(struct tb_life *life)
{
    life->used = 0;
    if (life->number < least) least = life->number;
}

/* ---- Ends ---- */

static void end(struct tb_life *life)
{
    mine = NULL;
    pthread_mutex_lock(&lives_lock);
    life->ended = 1;
    if (!life->known || life->detached) give_back(life);
    pthread_mutex_unlock(&lives_lock);
}

/* Runs in the last round of key destructors, after other libraries' had their
 * chance to call MPI once more. */
static void end_thread(void *value)
{
    struct tb_life *life = value;
    if (life != mine) return;
    if (++life->endings < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        pthread_setspecific(end_key, life);
        return;
    }
    int saved = errno;
    tb_thread_end();
    end(life);
    errno = saved;
}

static void become(struct tb_life *life)
{
    mine = life;
    if (end_key_valid) pthread_setspecific(end_key, life);
}

/* ---- What threads.c asks for ---- */

void tb_lives_start(void)
{
    end_key_valid = pthread_key_create(&end_key, end_thread) == 0;
}

void tb_lives_child(void)
{
    pthread_mutex_init(&lives_lock, NULL);
    mine = NULL;
}

struct tb_life *tb_life_mine(void)
{
    if (mine) return mine;
    pthread_mutex_lock(&lives_lock);
    struct tb_life *life = take();
    pthread_mutex_unlock(&lives_lock);
    if (life) become(life);
    return life;
}

void tb_life_begins(struct tb_thread *t, struct tb_life *life)
{
    if (!life->known) return;
    uint64_t creations = life->creations - life->begun;
    life->begun = life->creations;
    tb_emit(t, TB_R_BEGIN, &creations, 1);
}

uint32_t tb_life_renumber(struct tb_thread *t)
{
    pthread_mutex_lock(&lives_lock);
    struct tb_life *old = mine, *life = take();
    if (life) {
        life->state = t;
        old->state = NULL; /* its number is never given out again */
    }
    pthread_mutex_unlock(&lives_lock);
    if (!life) return t->priv->number;
    become(life);
    return life->number;
}

/* ---- In front of the C library ---- */

/* The next definition: the C library's, or that of a tool. */
#define NEXT(f) \
    static __typeof__(f) *next; \
    if (!__atomic_load_n(&next, __ATOMIC_ACQUIRE)) \
        __atomic_store_n(&next, (__typeof__(f) *)dlsym(RTLD_NEXT, #f), __ATOMIC_RELEASE); \
    if (tb_unlikely(!next)) return ENOSYS

/* Not in the child of a fork, where the lock may be held by nobody. */
static int follows(void)
{
    return tb_process.state == TB_ACTIVE && __atomic_load_n(&count, __ATOMIC_RELAXED) > 0 && tb_process.pid == (int)getpid();
}

/* The calling thread, if creations and joins by it can be recorded. */
static struct tb_thread *recorded(void)
{
    return follows() && !tb_process.closed ? tb_idle() : NULL;
}

/* Without a frame of its own, so that nothing outside of what the program calls is seen on its stack. */
#ifndef __clang__
__attribute__((optimize("optimize-sibling-calls")))
#endif
static void *thread_starts(void *p)
{
    struct tb_life *life = p;
    void *(*start)(void *) = life->start;
    void *argument = life->argument;
    life->id = pthread_self();
    __atomic_store_n(&life->named, 1, __ATOMIC_RELEASE);
    become(life);
    return start(argument);
}

/* Records that a thread is about to be created; NULL if it is not followed. */
static struct tb_life *create(const pthread_attr_t *attr, void *(*start)(void *), void *argument, uint32_t *which)
{
    struct tb_thread *t = recorded();
    int detached = PTHREAD_CREATE_JOINABLE, saved = errno;
    if (!t) return NULL;
    if (attr) pthread_attr_getdetachstate(attr, &detached);
    pthread_mutex_lock(&lives_lock);
    struct tb_life *life = take();
    if (life) {
        life->known = 1;
        life->detached = detached == PTHREAD_CREATE_DETACHED;
        life->start = start;
        life->argument = argument;
        *which = ++life->creations;
    }
    pthread_mutex_unlock(&lives_lock);
    uint64_t number = life ? life->number : 0;
    if (life) tb_emit(t, TB_R_CREATE, &number, 1);
    errno = saved;
    return life;
}

/* Whether nobody else has the number by now. */
static int is_still(const struct tb_life *life, uint32_t which) { return life->used && life->known && life->creations == which; }

TB_EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
    NEXT(pthread_create);
    uint32_t which = 0;
    struct tb_life *life = create(attr, start, argument, &which);
    if (!life) return next(id, attr, start, argument);
    int failed = next(id, attr, thread_starts, life);
    pthread_mutex_lock(&lives_lock);
    if (is_still(life, which)) {
        if (failed) {
            give_back(life);
        } else if (!life->named) { /* it has not come that far yet */
            life->id = *id;
            life->named = 1;
        }
    }
    pthread_mutex_unlock(&lives_lock);
    return failed;
}

/* A thread by the C library's name; NULL if it is not known. */
static struct tb_life *find(pthread_t id, uint32_t *which)
{
    struct tb_life *found = NULL;
    if (!follows()) return NULL;
    pthread_mutex_lock(&lives_lock);
    for (uint32_t n = 0; n < count && !found; n++) {
        struct tb_life *life = life_at(n);
        if (life->used && life->known && __atomic_load_n(&life->named, __ATOMIC_ACQUIRE) && pthread_equal(life->id, id)) found = life;
    }
    if (found) *which = found->creations;
    pthread_mutex_unlock(&lives_lock);
    return found;
}

static int joined(struct tb_life *life, uint32_t which, int failed)
{
    if (!life || failed) return failed;
    int saved = errno, called = 0;
    pthread_mutex_lock(&lives_lock);
    if (is_still(life, which)) {
        called = life->begun == which;
        give_back(life);
    }
    pthread_mutex_unlock(&lives_lock);
    struct tb_thread *t = called ? recorded() : NULL;
    uint64_t number = life->number;
    if (t) tb_emit(t, TB_R_JOIN, &number, 1);
    errno = saved;
    return failed;
}

TB_EXPORT int pthread_join(pthread_t id, void **value)
{
    NEXT(pthread_join);
    uint32_t which = 0;
    struct tb_life *life = find(id, &which);
    return joined(life, which, next(id, value));
}

TB_EXPORT int pthread_tryjoin_np(pthread_t id, void **value)
{
    NEXT(pthread_tryjoin_np);
    uint32_t which = 0;
    struct tb_life *life = find(id, &which);
    return joined(life, which, next(id, value));
}

TB_EXPORT int pthread_timedjoin_np(pthread_t id, void **value, const struct timespec *until)
{
    NEXT(pthread_timedjoin_np);
    uint32_t which = 0;
    struct tb_life *life = find(id, &which);
    return joined(life, which, next(id, value, until));
}

TB_EXPORT int pthread_detach(pthread_t id)
{
    NEXT(pthread_detach);
    uint32_t which = 0;
    struct tb_life *life = find(id, &which);
    int failed = next(id);
    if (!life || failed) return failed;
    pthread_mutex_lock(&lives_lock);
    if (is_still(life, which)) {
        life->detached = 1;
        if (life->ended) give_back(life);
    }
    pthread_mutex_unlock(&lives_lock);
    return failed;
}
