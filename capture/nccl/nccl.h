/* NCCL and RCCL, whose functions have the same names: what their wrappers need beside core/call.h. No header of theirs
 * is needed. */
#ifndef TABARD_NCCL_H
#define TABARD_NCCL_H
#include "core/call.h"

#pragma GCC visibility push(hidden)

/* ncclUniqueId, which is passed by value. */
struct tb_nccl_id { char bytes[128]; };

/* What is recorded of it: FNV-1a over its words. Members of a communicator have the same, others another one. */
static inline uint64_t tb_nccl_hash(const struct tb_nccl_id *id)
{
    uint64_t hash = 0xcbf29ce484222325u, word;
    for (unsigned i = 0; i < sizeof id->bytes; i += sizeof word) {
        memcpy(&word, id->bytes + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 32;
    }
    return hash >> 1; /* never negative */
}

#pragma GCC visibility pop
#endif
