/* The numbers of threads, and who makes and joins them.
 *
 * A thread that is created by one that has made calls gets its number then, the least free one, and keeps it until it
 * is joined (or ends, if nobody may join it). So numbers do not depend on which thread comes first, where a program's
 * own joins say when one is free. Creation and join are recorded between the calls of the threads that do it.
 *
 * What is not known gets a number with its first call, and nothing is recorded of its creation: threads that are
 * created inside of calls (by the library itself), before the creator's first call, and by other ways than
 * pthread_create.
 *
 * A member of a team (of OpenMP) is none of these: it goes on where the last one with its place in a team of the same
 * creator was, whatever thread of the C library that was, and has its number. The numbers follow from the places, not
 * from who comes first. Between its parts in teams it holds its number loosely: another thread may take it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include "core/api.h"
#include "core/internal.h"
#include "core/lock.h"
#include "sites/modules.h"

enum { CHUNK = 64, CHUNKS = 1 << 14 };

/* Members of teams of the thread with number 0; those of others have numbers above. */
enum { OWN = 256 };
#define NOWHERE (~UINT64_C(0))

static struct tb_life *own[OWN];
static struct tb_life *chunk[CHUNKS];
static uint32_t count;      /* numbers that were given out so far */
static uint32_t least;      /* no smaller one is free */
static pthread_mutex_t lives_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t end_key;
static int end_key_valid;
static TB_TLS struct tb_life *mine;
static TB_TLS struct tb_life *loose;  /* of a member of a team that is in no team, unless another thread took it */
static TB_TLS int unfollowed;         /* creations are those of a team */
static TB_TLS int endings;            /* rounds of key destructors seen */

static uintptr_t self(void) { return (uintptr_t)&mine; }

static struct tb_life *life_at(uint32_t number) { return &chunk[number / CHUNK][number % CHUNK]; }

/* The same, if there is memory for it. With the lock held, as all that follow. */
static struct tb_life *make(uint32_t number)
{
    if (number >= CHUNK * CHUNKS) return NULL;
    if (!chunk[number / CHUNK]) chunk[number / CHUNK] = tb_map_pages(CHUNK * sizeof(struct tb_life), 0);
    if (!chunk[number / CHUNK]) return NULL;
    life_at(number)->number = number;
    return life_at(number);
}

static struct tb_life *take(void)
{
    struct tb_life *life;
    while ((life = make(least)) && life->used) least++;
    if (!life) return NULL;
    if (count <= least) count = least + 1;
    life->used = 1;
    life->known = life->detached = life->ended = life->named = 0;
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
    mine = loose = NULL;
    pthread_mutex_lock(&lives_lock);
    life->ended = 1;
    if (life->place) tb_publish(life->holder, (uintptr_t)0);
    else if (!life->known || life->detached) give_back(life);
    pthread_mutex_unlock(&lives_lock);
}

/* What the calling thread does from now on is another one's. What it held loosely it never takes back for that: who
 * comes next with its place is to find it free. */
static void leave(void)
{
    uintptr_t by = self() | TB_LOOSE;
    tb_thread_end();
    if (mine) end(mine);
    else if (loose) __atomic_compare_exchange_n(&loose->holder, &by, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    loose = NULL;
}

/* Runs in the last round of key destructors, after other libraries' had their
 * chance to call MPI once more. */
static void end_thread(void *value)
{
    if (value != mine && value != loose) return;
    if (++endings < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        pthread_setspecific(end_key, value);
        return;
    }
    int saved = errno;
    leave();
    errno = saved;
}

TB_UNSANITIZED static void become(struct tb_life *life)
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
    mine = loose = NULL;
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
    struct tb_life *old = life_at(t->priv->number), *life = take();
    if (life) {
        life->state = t;
        life->known = old->known;
        life->place = old->place;
        life->holder = old->holder;
        if (old->place > 0 && old->place < OWN) own[old->place] = life;
        old->state = NULL; /* its number is never given out again */
        old->place = NOWHERE;
    }
    pthread_mutex_unlock(&lives_lock);
    if (!life) return t->priv->number;
    if (old == mine) become(life);
    return life->number;
}

/* ---- Members of teams ---- */

/* Whether the calling thread gets the number: nobody is in a team with it. */
static int hold(struct tb_life *life)
{
    uintptr_t by = __atomic_load_n(&life->holder, __ATOMIC_ACQUIRE);
    while (!by || by & TB_LOOSE) /* another thread may give it up meanwhile */
        if (__atomic_compare_exchange_n(&life->holder, &by, self(), 1, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) return 1;
    return 0;
}

static void assign(struct tb_life *life, uint64_t place)
{
    life->used = 1;
    life->place = place;
}

/* A number that follows from the place, or the next one that is free. */
static struct tb_life *placed(uint64_t place)
{
    enum { TRIES = 1024, NUMBERS = 1 << 16 }; /* the collector believes no greater number */
    uint32_t at = (uint32_t)((place ^ place >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 40);
    for (uint32_t i = 0; i < TRIES; i++) {
        struct tb_life *life = make(OWN + (at + i) % (NUMBERS - OWN));
        if (!life) break;
        if (!life->used) assign(life, place);
        if (life->place == place && hold(life)) return life;
    }
    return NULL;
}

struct tb_life *tb_life_queue(uint64_t which)
{
    pthread_mutex_lock(&lives_lock);
    struct tb_life *life = placed(which | UINT64_C(1) << 63); /* no creator of a team has a number so high */
    pthread_mutex_unlock(&lives_lock);
    return life;
}

/* All members of a team at once, so that their numbers do not depend on which comes first. */
static struct tb_life *own_member(uint32_t index, uint32_t size)
{
    for (uint32_t i = 1; i < size && i < OWN; i++)
        if (!own[i] && (own[i] = take())) assign(own[i], i);
    return own[index] && hold(own[index]) ? own[index] : NULL;
}

void tb_life_join_team(uint32_t creator, uint32_t depth, uint32_t index, uint32_t size)
{
    uint64_t place = (uint64_t)creator << 40 | (uint64_t)(depth & 0xffff) << 24 | (index & 0xffffff);
    struct tb_life *life = mine ? mine : loose, *next = NULL;
    if (life && life->place == place) {
        struct tb_thread *t = tb_life_resume();
        if (t) tb_self = t;
        if (mine) return;
    }
    if (life) leave();
    pthread_mutex_lock(&lives_lock);
    if (creator == 0 && depth == 0 && index < OWN) next = own_member(index, size);
    if (!next) next = placed(place);
    pthread_mutex_unlock(&lives_lock);
    if (next) become(next);
}

void tb_life_leave_team(void)
{
    struct tb_life *life = mine;
    if (!life || !life->place || !tb_thread_pause()) return;
    loose = life;
    mine = NULL;
    tb_publish(life->holder, self() | TB_LOOSE);
}

struct tb_thread *tb_life_resume(void)
{
    uintptr_t by = self() | TB_LOOSE;
    struct tb_life *life = loose;
    if (!life) return NULL;
    if (!__atomic_compare_exchange_n(&life->holder, &by, self(), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return NULL;
    mine = life;
    loose = NULL;
    return life->state;
}

void tb_lives_follow(int on) { unfollowed = !on; }

int tb_life_is_followed(void)
{
    return mine ? mine->known || mine->place || mine->number == 0 : syscall(SYS_gettid) == getpid();
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
    return tb_process.state == TB_ACTIVE && __atomic_load_n(&count, __ATOMIC_RELAXED) > 0 &&
        tb_process.pid == (int)getpid();
}

/* The calling thread, if creations and joins by it can be recorded. */
static struct tb_thread *recorded(void)
{
    return follows() && !unfollowed && !tb_process.closed ? tb_idle() : NULL;
}

/* Without a frame of its own, so that nothing outside of what the program calls is seen on its stack. */
#ifndef __clang__
__attribute__((optimize("optimize-sibling-calls")))
#endif
TB_UNSANITIZED static void *thread_starts(void *p)
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
static int is_still(const struct tb_life *life, uint32_t which)
{
    return life->used && life->known && life->creations == which;
}

TB_EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
    NEXT(pthread_create);
    uint32_t which = 0;
    for (const struct tb_api *const *api = tb_apis; *api; api++)
        if ((*api)->thread_is_created) (*api)->thread_is_created();
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
        if (life->used && life->known && __atomic_load_n(&life->named, __ATOMIC_ACQUIRE) && pthread_equal(life->id, id))
            found = life;
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
