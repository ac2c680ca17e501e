/* Segment files of a thread: a ring that the collector empties, further files
 * while nobody does, and a place to write to when there is no room at all. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "core/files.h"
#include "core/internal.h"
#include "core/lock.h"

_Static_assert(sizeof(struct tb_segment) <= TB_HEADER_BYTES, "the header fits its page");
_Static_assert(TB_SINK_WORDS > 4 * TB_RESERVE, "a lost call writes its fixed parts to the sink");

static uint64_t spilled_bytes;  /* of this process */

enum { RETRY_NS = 100000000,    /* between attempts to create a file after a failure */
       PATIENCE = 12,           /* times dead_after_ns: no segment came back from a collector that lives */
       PROBE_NS = 1000000,
       MIN_SEGMENT_BYTES = 65536,
       SMALL_SEGMENTS = 8, SMALL_BYTES = 65536, MEDIUM_SEGMENTS = 16, MEDIUM_BYTES = 262144,
       MEDIUM_PART = 16 }; /* medium ones have 1/16 of the standard, if that is 4 MiB */

static uint64_t *records(struct tb_segment *s) { return (uint64_t *)((char *)s + TB_HEADER_BYTES); }
static uint64_t mapped_bytes(const struct tb_segment *s) { return s->capacity + TB_HEADER_BYTES; }
static unsigned ring_limit(void)
{
    unsigned n = tb_process.control->segments_max;
    return n < 1 ? 1 : n > TB_RING_MAX ? TB_RING_MAX : n;
}

/* Growing a file over the limit would raise SIGXFSZ. */
static int over_file_limit(uint64_t bytes)
{
    struct rlimit r;
    return getrlimit(RLIMIT_FSIZE, &r) == 0 && r.rlim_cur != RLIM_INFINITY && bytes > r.rlim_cur;
}

/* For systems that cannot allocate what is not written. */
static int fill(int fd, uint64_t bytes)
{
    static const char zeros[65536];
    for (uint64_t at = 0; at < bytes;) {
        size_t n = bytes - at < sizeof zeros ? (size_t)(bytes - at) : sizeof zeros;
        ssize_t done = pwrite(fd, zeros, n, (off_t)at);
        if (done <= 0 && errno != EINTR) return 0;
        if (done > 0) at += (uint64_t)done;
    }
    return 1;
}

/* Not through the mapping: if the file is gone when that is first written to, begin finds no capacity. */
static int say_capacity(int fd, uint64_t bytes)
{
    ssize_t done;
    do done = pwrite(fd, &bytes, sizeof bytes, offsetof(struct tb_segment, capacity));
    while (done < 0 && errno == EINTR);
    return done == sizeof bytes;
}

/* All of it is allocated: a hole would end the program if it cannot be filled. */
static struct tb_segment *map_file(const char *dir, const char *name, uint64_t bytes, int *exists)
{
    if (over_file_limit(bytes)) return NULL;
    int fd = tb_file_open(dir, name, O_RDWR | O_CREAT | O_EXCL);
    *exists = fd < 0 && errno == EEXIST;
    if (fd < 0) return NULL;
    int failed;
    do failed = posix_fallocate(fd, 0, (off_t)bytes);
    while (failed == EINTR);
    if (failed == ENOSYS || failed == EOPNOTSUPP || failed == EINVAL) failed = !fill(fd, bytes);
    if (!failed) failed = !say_capacity(fd, bytes - TB_HEADER_BYTES);
    void *p = failed ? NULL : tb_file_map(fd, bytes);
    close(fd);
    if (!p) tb_file_remove(dir, name);
    return p;
}

/* Creates the thread's next file in dir. An existing file was left by another
 * program image with this pid (exec): a thread then takes a number of its own. */
static struct tb_segment *create_in(struct tb_thread *t, const char *dir, uint64_t bytes)
{
    struct tb_chain *ch = t->priv->chain;
    for (int tries = 0; tries < 4096; tries++) {
        char name[64];
        int exists = 0;
        snprintf(name, sizeof name, "s.%d-%llu.%u.%u", tb_process.pid, (unsigned long long)tb_process.pid_start,
                 t->priv->number, ch->files);
        struct tb_segment *s = map_file(dir, name, bytes, &exists);
        if (s) {
            ch->files++;
            ch->first = 0;
            return s;
        }
        if (!exists) return NULL;
        if (ch->first) t->priv->number = tb_life_renumber(t);
        else ch->files++;
    }
    return NULL;
}

static struct tb_segment *create(struct tb_thread *t, uint64_t bytes)
{
    const char *second = tb_process.spill;
    struct tb_segment *s = create_in(t, tb_process.dir, bytes);
    if (!s && second[0]) s = create_in(t, second, bytes);
    return s;
}

/* One that nobody will empty soon: rather on a disk than in memory, and only where there is room to
 * spare. */
static struct tb_segment *create_spilled(struct tb_thread *t, uint64_t bytes)
{
    const char *first = tb_process.dir, *second = tb_process.spill;
    struct tb_segment *s = NULL;
    if (second[0] && tb_space_in_memory(first) && !tb_space_in_memory(second)) first = second, second = tb_process.dir;
    if (tb_space_for(first, bytes)) s = create_in(t, first, bytes);
    if (!s && second[0] && tb_space_for(second, bytes)) s = create_in(t, second, bytes);
    return s;
}

/* Makes s the last segment of the chain. The magic number of a new file comes last: before, the file is not
 * looked at. Then the collector is told that there is one. */
static void activate(struct tb_thread *t, struct tb_segment *s, uint32_t in_call)
{
    int fresh = s->magic != TB_SEGMENT_MAGIC;
    s->version = TB_RING_VERSION;
    s->pid = (uint32_t)tb_process.pid;
    s->pid_start = tb_process.pid_start;
    s->thread = t->priv->number;
    s->tid = t->priv->tid;
    s->in_call = in_call;
    s->pending = 0;
    s->consumed = 0; /* the collector leaves FREE segments alone */
    tb_publish(s->published, (uint64_t)0);
    tb_publish(s->seq, t->priv->chain->seq++);
    tb_publish(s->state, (uint32_t)TB_SEG_ACTIVE);
    tb_publish(s->magic, (uint64_t)TB_SEGMENT_MAGIC);
    if (fresh) __atomic_add_fetch(&tb_process.control->files, 1, __ATOMIC_RELEASE);
}

/* Its file was made shorter: what is there now is memory that nobody else sees. */
static int is_lost(const struct tb_segment *s) { return __atomic_load_n(&s->magic, __ATOMIC_RELAXED) == 0; }

static void drop_lost(struct tb_chain *ch)
{
    for (unsigned i = 0; i < ch->count;) {
        if (!is_lost(ch->ring[i])) {
            i++;
            continue;
        }
        ch->count--; /* it stays mapped: it may be the current one */
        memmove(&ch->ring[i], &ch->ring[i + 1], (ch->count - i) * sizeof ch->ring[0]);
        if (ch->oldest > i) ch->oldest--;
    }
    if (ch->oldest >= ch->count) ch->oldest = 0;
}

static int is_free(struct tb_segment *s)
{
    return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == TB_SEG_FREE;
}

int tb_collector_alive(void)
{
    struct tb_control *ctl = tb_process.control;
    if (__atomic_load_n(&ctl->collector_state, __ATOMIC_ACQUIRE) == TB_COLLECTOR_DONE) return 0;
    uint64_t beat = __atomic_load_n(&ctl->heartbeat, __ATOMIC_RELAXED), now = tb_kernel_clock();
    if (beat < tb_process.start_ns) beat = tb_process.start_ns;
    return now < beat + ctl->dead_after_ns;
}

static void insert(struct tb_chain *ch, struct tb_segment *s)
{
    memmove(&ch->ring[ch->oldest + 1], &ch->ring[ch->oldest], (ch->count - ch->oldest) * sizeof ch->ring[0]);
    ch->ring[ch->oldest] = s;
    ch->count++;
    ch->oldest = (ch->oldest + 1) % ch->count;
}

/* The oldest segment of the ring that is large enough, if the collector is done with it. */
static struct tb_segment *reuse(struct tb_chain *ch, uint64_t words)
{
    for (unsigned i = 0; i < ch->count; i++) {
        unsigned at = (ch->oldest + i) % ch->count;
        struct tb_segment *s = ch->ring[at];
        if (words > s->capacity / 8) continue;
        if (!is_free(s)) return NULL;
        ch->oldest = (at + 1) % ch->count;
        return s;
    }
    return NULL;
}

static int any_fits(const struct tb_chain *ch, uint64_t words)
{
    for (unsigned i = 0; i < ch->count; i++)
        if (words <= ch->ring[i]->capacity / 8) return 1;
    return 0;
}

static uint64_t standard_bytes(void)
{
    uint64_t b = tb_process.control->segment_bytes & ~(uint64_t)(TB_HEADER_BYTES - 1);
    return b < MIN_SEGMENT_BYTES ? MIN_SEGMENT_BYTES : b;
}

/* Size of a file for records of this many words; twice as much as asked for
 * beyond the standard, since such a record usually grows again. */
static uint64_t file_bytes(uint64_t words)
{
    uint64_t bytes = standard_bytes();
    if (words * 8 <= bytes - TB_HEADER_BYTES) return bytes;
    return (words * 16 + 2 * TB_HEADER_BYTES - 1) & ~(uint64_t)(TB_HEADER_BYTES - 1);
}

/* Size of the next file of the ring. The first ones are small: while the collector keeps up they are enough, take
 * little memory, and stay in caches. */
static uint64_t next_bytes(unsigned count, uint64_t words)
{
    uint64_t bytes = file_bytes(words);
    uint64_t first = count < SMALL_SEGMENTS ? SMALL_BYTES : MEDIUM_BYTES;
    int small = count < MEDIUM_SEGMENTS && bytes >= MEDIUM_PART * MEDIUM_BYTES && words * 8 <= first - TB_HEADER_BYTES;
    return small ? first : bytes;
}

/* One more segment for the ring. The very first may be smaller than it should be: better than none. */
static struct tb_segment *extend(struct tb_thread *t, uint64_t words)
{
    struct tb_chain *ch = t->priv->chain;
    uint64_t bytes = next_bytes(ch->count, words);
    if (ch->count >= (bytes > standard_bytes() ? TB_RING_MAX : ring_limit())) return NULL;
    struct tb_segment *s = create(t, bytes);
    while (!s && !any_fits(ch, words) && bytes / 4 >= MIN_SEGMENT_BYTES && words * 8 <= bytes / 4 - TB_HEADER_BYTES) {
        bytes = bytes / 4 & ~(uint64_t)(TB_HEADER_BYTES - 1);
        s = create(t, bytes);
    }
    if (s) insert(ch, s);
    return s;
}

static struct tb_segment *spill(struct tb_thread *t, uint64_t words)
{
    uint64_t bytes = file_bytes(words);
    if (__atomic_add_fetch(&spilled_bytes, bytes, __ATOMIC_RELAXED) <= tb_process.control->spill_bytes) {
        struct tb_segment *s = create_spilled(t, bytes);
        if (s) {
            s->once = 1;
            return s;
        }
    }
    __atomic_sub_fetch(&spilled_bytes, bytes, __ATOMIC_RELAXED);
    return NULL;
}

/* Nobody will free a segment whose file was made shorter after it was filled: reading its end shows it. */
static void probe(struct tb_chain *ch)
{
    for (unsigned i = 0; i < ch->count; i++)
        (void)__atomic_load_n((char *)ch->ring[i] + mapped_bytes(ch->ring[i]) - 1, __ATOMIC_RELAXED);
    drop_lost(ch);
}

/* Waits as long as the collector may free a segment, and at most until the ring has lost one. */
static struct tb_segment *wait_for_free(struct tb_chain *ch, uint64_t words)
{
    struct timespec pause = {0, 20000};
    uint64_t begun = tb_monotonic(), patience = PATIENCE * tb_process.control->dead_after_ns;
    unsigned count = ch->count;
    while (count == ch->count && !ch->given_up && tb_collector_alive()) {
        nanosleep(&pause, NULL);
        struct tb_segment *s = reuse(ch, words);
        if (s) return s;
        if (pause.tv_nsec < PROBE_NS) pause.tv_nsec += pause.tv_nsec / 2;
        else probe(ch);
        ch->given_up = tb_monotonic() - begun > patience;
    }
    return NULL;
}

/* A segment with room for words words; failed attempts to create files are not repeated at once. */
static struct tb_segment *obtain(struct tb_thread *t, uint64_t words, int *spilled)
{
    struct tb_chain *ch = t->priv->chain;
    *spilled = 0;
    drop_lost(ch);
    struct tb_segment *s = reuse(ch, words);
    ch->given_up &= !s;
    if (s) return s;
    tb_bell();
    int may_create = ch->retry_at == 0 || tb_monotonic() >= ch->retry_at;
    int late = (tb_process.control->flags & TB_CTL_SPILL) != 0; /* the collector may be, whatever the reason */
    for (unsigned count = ch->count + 1; !s && count > ch->count;) { /* with each one that is lost there is more room */
        count = ch->count;
        s = reuse(ch, words);
        if (!s && may_create) s = extend(t, words);
        if (!s && !late && any_fits(ch, words)) s = wait_for_free(ch, words);
    }
    int may_spill = may_create && (late || ch->given_up || !tb_collector_alive());
    if (!s && may_spill && (s = spill(t, words)) != NULL) *spilled = 1;
    if (!s && late && any_fits(ch, words)) s = wait_for_free(ch, words);
    if (s) ch->retry_at = 0;
    else if (may_create) ch->retry_at = tb_monotonic() + RETRY_NS;
    return s;
}

static void set_segment(struct tb_thread *t, struct tb_segment *s, uint64_t room)
{
    t->seg = s;
    t->base = records(s);
    t->limit = t->base + room;
    t->at = t->base;
}

static void to_sink(struct tb_thread *t)
{
    struct tb_chain *ch = t->priv->chain;
    t->seg = &ch->sink;
    t->base = t->at = t->limit = ch->sink_words;
}

void tb_chain_rest(struct tb_thread *t)
{
    if (t->seg == &t->priv->chain->sink) to_sink(t);
}

void tb_chain_lost(struct tb_thread *t)
{
    t->priv->chain->lost++;
    tb_chain_rest(t);
}

/* Says at the start of a segment how many calls are missing before it. */
static void put_lost(struct tb_thread *t)
{
    struct tb_chain *ch = t->priv->chain;
    if (!ch->lost) return;
    uint64_t now = tb_now(), record[6] = {TB_R_LOST | (uint64_t)6 << 32, now, now, 0, 0, ch->lost};
    memcpy(t->at, record, sizeof record);
    tb_chain_publish(t, 6);
    ch->lost = 0;
}

/* The record in progress goes on in the sink, where only its fixed parts fit. */
static void sink_call(struct tb_thread *t, struct tb_call *c)
{
    struct tb_chain *ch = t->priv->chain;
    uint64_t header[5] = {0};
    if (c->w >= t->at + 4) memcpy(header, t->at, sizeof header);
    c->known = NULL;
    to_sink(t);
    t->limit = t->base + TB_SINK_WORDS;
    memcpy(t->at, header, sizeof header);
    c->w = t->at + 5;
    c->slow |= TB_SLOW_LOST;
    ch->sink.pending = 0;
}

/* Makes s the thread's segment, with what there is of a record at its front. Its file may turn out to be gone as it is
 * written to: then nothing is left of its header, where the collector finds how large it is, and so do we. Returns how
 * many words have room in s, 0 if it is gone. */
static uint64_t begin(struct tb_thread *t, struct tb_segment *s, const uint64_t *from, uint64_t partial, uint64_t need)
{
    /* The only segment of a ring: its own tail moves to its front. */
    memmove(records(s) + (t->priv->chain->lost ? 6 : 0), from, partial * 8);
    activate(t, s, t->outer != 0);
    uint64_t room = __atomic_load_n(&s->capacity, __ATOMIC_RELAXED) / 8; /* once: the next look may find 0 */
    if (need <= room) return room;
    tb_publish(s->magic, (uint64_t)0); /* see is_lost */
    return 0;
}

int tb_chain_advance(struct tb_thread *t, struct tb_call *c, uint64_t words)
{
    struct tb_chain *ch = t->priv->chain;
    struct tb_segment *old = t->seg;
    uint64_t *from = t->at, partial = c ? (uint64_t)(c->w - t->at) : 0, pending = old->pending;
    int was_spilled = ch->spilled, spilled, on_sink = old == &ch->sink;
    uint64_t need = partial + words + (ch->lost ? 6 : 0);
    t->priv->muted++;
    struct tb_cancel cancel = tb_cancel_off(); /* pausing and opening files are no places to end */
    if (!on_sink) tb_publish(old->state, (uint32_t)TB_SEG_FULL);
    /* Of a record in a segment that is lost only a part may be left. */
    int torn = c && !on_sink && is_lost(old);
    struct tb_segment *s = words < (uint64_t)1 << 45 && !torn ? obtain(t, need, &spilled) : NULL;
    if (s && c && !on_sink && is_lost(old)) { /* that was found out while we waited */
        if (spilled) tb_file_unmap(s, mapped_bytes(s));
        s = NULL;
    }
    uint64_t room = s ? begin(t, s, from, partial, need) : 0;
    if (!room) s = NULL;
    if (!s) {
        tb_publish(old->pending, (uint64_t)0);
        tb_publish(old->in_call, 0u);
        if (c) sink_call(t, c);
        else to_sink(t);
    } else {
        ch->spilled = spilled;
        set_segment(t, s, room);
        put_lost(t);
        tb_publish(s->pending, pending);
        if (c) c->w = t->at + partial;
        if (s != old) {
            tb_publish(old->pending, (uint64_t)0);
            tb_publish(old->in_call, 0u);
        }
    }
    if (was_spilled && !on_sink && s != old) tb_file_unmap(old, mapped_bytes(old));
    t->priv->muted--;
    tb_cancel_on(cancel);
    return s != NULL;
}

void tb_chain_open(struct tb_thread *t)
{
    struct tb_chain *ch = t->priv->chain;
    if (t->seg) { /* adopted from a thread that ended */
        t->seg->tid = t->priv->tid;
        return;
    }
    to_sink(t);
    ch->sink.capacity = TB_SINK_WORDS * 8;
    tb_chain_advance(t, NULL, TB_RESERVE);
}
