//go:build ignore

/* Words from the pipe of a stream. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "executor.h"

uint64_t rp_words_read(const struct rp_thread *t) { return t->position - (uint64_t)(t->end - t->at); }

/* Reads more, and takes the first word of it. */
uint64_t rp_refill(struct rp_thread *t)
{
    char *to = (char *)t->buffer;
    size_t have = t->odd_bytes;
    int before = t->state;
    memmove(to, t->end, have); /* an incomplete word */
    t->state = RP_NEEDS_WORDS;
    while (have < sizeof(uint64_t)) {
        ssize_t n = read(t->fd, to + have, sizeof t->buffer - have);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) rp_fail(t, RP_BROKEN, "its program cannot be read: %s", strerror(errno));
        if (n == 0) rp_fail(t, RP_BROKEN, "its program ends behind word %llu, before the replay does",
            (unsigned long long)t->position);
        have += (size_t)n;
    }
    t->state = before;
    t->at = t->buffer;
    t->end = t->buffer + have / 8;
    t->position += have / 8;
    t->odd_bytes = have % 8;
    return *t->at++;
}
