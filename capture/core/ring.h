/* The shared-memory ABI between the traced program and the collector.
 * internal/record/ring mirrors it in Go; a test compares sizes, offsets and values. */
#ifndef TABARD_RING_H
#define TABARD_RING_H
#include <stdint.h>

#define TB_CONTROL_MAGIC 0x31434452414241ffULL /* "\xffABARDC1" */
#define TB_SEGMENT_MAGIC 0x31534452414241ffULL /* "\xffABARDS1" */
#define TB_RING_VERSION 6u
#define TB_HEADER_BYTES 4096u
#define TB_IDS 65536u /* ids of functions, of all APIs together, are below this: 16 bits of a record's first word */

/* <dir>/control: written by the launcher, mapped by everybody. */
struct tb_control {
    uint64_t magic;
    uint32_t version;
    uint32_t flags;            /* TB_CTL_* */
    uint64_t heartbeat;        /* CLOCK_MONOTONIC ns, by the collector, at least every 100 ms */
    uint32_t collector_pid;
    uint32_t collector_state;  /* TB_COLLECTOR_* */
    uint64_t segment_bytes;    /* size of a segment file, header included */
    uint32_t segments_max;     /* per thread, before the program waits for the collector */
    uint32_t callsites;        /* TB_SITES_* */
    uint64_t spill_bytes;      /* per process: what may be written beside rings, at most: see space.c */
    uint64_t dead_after_ns;    /* a heartbeat older than this counts as a dead collector */
    uint64_t summary_wait_ns;  /* how long the processes that wait for the archive do so at their end, at most, until
                                  the collector writes it; as it writes, longer: see summary.c */
    uint32_t finalized;        /* processes that returned from MPI_Finalize (atomic add); in jobs without MPI, ranks that
                                  ended */
    uint32_t summary_len;      /* != 0 once summary holds what is to be printed (release) */
    /* With TB_CTL_MERGE the collectors of a job unite their archives inside MPI_Finalize: see
     * finalize.c. */
    uint32_t leader;           /* least rank of the processes that are in MPI_Finalize; ~0 at first (atomic minimum) */
    uint32_t merge_request;    /* TB_MERGE_*, by the leader (release) */
    uint32_t merge_answer;     /* the request that is done, or TB_MERGE_FAILED (release), by the collector */
    uint32_t initialized;      /* processes, not spawned ones, that returned from MPI_Init (atomic add) */
    uint32_t local_ranks;      /* how many ranks of MPI_COMM_WORLD belong to this collector, 0 unknown */
    uint32_t archive;          /* TB_ARCHIVE_*: how far the collector is with the archive (release) */
    uint32_t files;            /* that have appeared in <dir> and spill_dir, ready to be read: registrations and segments
                                  (atomic add). The collector lists the directories when it has changed: times of
                                  files come from a clock that may stand still for a while. */
    uint32_t said;             /* 1 once the summary is printed, or is being printed (exchange) */
    uint64_t arrived_ns;       /* when the first of them came (CLOCK_MONOTONIC), 0: none (compare and swap) */
    uint64_t merge_received;   /* files that the leader took in before its request, see TB_MERGE_UNITE */
    uint64_t merge_wait_ns;    /* how long to wait in MPI_Finalize until all ranks are there */
    uint64_t merge_time_ns;    /* how long the exchange may take then */
    uint8_t  filter[TB_IDS / 8]; /* bit id set: function id is filtered out */
    uint32_t unseen;           /* processes with an MPI library that ended without a call that came here (atomic add) */
    uint32_t events_off;       /* bit set: this kind of events (spec/events.txt) is not recorded */
    uint32_t function_times;   /* TB_TIMES_*: of function calls */
    uint32_t bell;             /* counted up, with a futex wake, where the collector should have a look soon (tb_bell):
                                  otherwise it may sleep for 50 ms */
    uint32_t function_depth;   /* functions in so many others are not recorded; 0: no limit */
    char     in[508];          /* regions that recording is limited to, see regions/chosen.c; empty: it is not */
    uint64_t in_entered;       /* bit set: this one of them has been entered (atomic or) */
    char     unused[488];      /* paths are never taken from here */
    char     summary[1024];    /* at first what to print if the collector is lost */
};
enum { TB_CTL_START_OFF = 1, TB_CTL_NO_TIMING = 2, TB_CTL_FILTER = 8, TB_CTL_MERGE = 16,
       TB_CTL_CLOCKS = 32, /* collectors measure the clocks of their nodes inside MPI_Finalize */
       TB_CTL_SPILL = 64 /* where the ring is full, the program spills and does not wait: the collector may be slow */ };
/* What the leader asks of the collector. UNITE: put the archive of all that the processes have
 * published and of the files <dir>/node.0.tabard ... node.<merge_received - 1>.tabard into
 * <dir>/united.tabard. KEEP: the same, but put it where the archive of the job belongs. TAKEN:
 * another collector has what was united. */
enum { TB_MERGE_UNITE = 1, TB_MERGE_KEEP = 2, TB_MERGE_TAKEN = 3, TB_MERGE_FAILED = 4 };
/* WRITING: all ranks are through MPI_Finalize. DONE: it lies where it belongs, or cannot be written there. */
enum { TB_ARCHIVE_NONE = 0, TB_ARCHIVE_WRITING = 1, TB_ARCHIVE_DONE = 2 };
enum { TB_COLLECTOR_STARTING = 0, TB_COLLECTOR_RUNNING = 1, TB_COLLECTOR_DONE = 2 };
enum { TB_TIMES_OFF = 0, TB_TIMES_ENTRY = 1, TB_TIMES_ALL = 2 };
enum { TB_SITES_OFF = 0, TB_SITES_CALLER = 1, TB_SITES_STACK = 2 };

/* A segment file: this header, padded to TB_HEADER_BYTES, then records.
 * Name: s.<pid>-<pid_start>.<thread>.<k>, k-th file of the thread-th traced thread of a
 * process. Files are reused: seq is what orders them. */
struct tb_segment {
    uint64_t magic;
    uint32_t version;
    uint32_t pid;
    uint64_t pid_start;        /* field 22 of /proc/pid/stat, guards against pid reuse */
    uint32_t thread;           /* 0 is the first thread of the process that made a traced call */
    uint32_t tid;
    uint64_t seq;              /* position in the thread's chain, from 0 */
    uint64_t capacity;         /* bytes after the header */
    uint64_t once;             /* 1: it is in no ring, and nobody needs the file once its records are taken in */
    uint64_t fill0;
    /* written by the program */
    uint64_t published;        /* bytes of complete records (release) */
    uint64_t pending;          /* != 0: a call is in progress; the entry part of its record lies
                                  at `published` and is this many bytes long (release). Only
                                  meaningful in the last segment of a chain. */
    uint32_t in_call;          /* between entry and exit of a traced call; set before the entry
                                  time stamp is read */
    uint32_t state;            /* TB_SEG_* */
    uint64_t fill1[5];
    /* written by the collector */
    uint64_t consumed;         /* bytes that the collector has processed */
};
/* FREE -> ACTIVE and ACTIVE -> FULL by the program, FULL -> FREE by the
 * collector, once the state that covers the segment is durable. */
enum { TB_SEG_FREE = 0, TB_SEG_ACTIVE = 1, TB_SEG_FULL = 2 };

/* A record is a sequence of 64-bit words:
 *   w0  id (16) | flags (16) | length of the record in words (32)
 *   w1  entry time, ticks (0 without timing, as long as there is one thread)
 *   w2  return time, ticks
 *   w3  call site: return address, or stack id if TB_F_STACK, 0 if unknown.
 *       With call sites on, the address is a segment word (module, offset).
 *   w4  absent mask (32): bit i set, parameter i was NULL, ignored, or not
 *       significant, and no value of it is recorded | return code (32, signed).
 *       The generator refuses functions of more than 32 parameters.
 *   then the slots of the function in order (see spec.Slot).
 * Slots known on return are present if the call succeeded or the function is
 * OutOnError; a slot marked OnError only if it failed. Length and w2 and the
 * return code of a pending record are not valid yet.
 *
 * What is known on entry of a call that repeats an earlier one of the thread need not be
 * said again. With TB_F_REF the record is w0, w1, w2 as above,
 *   w3  number of a definition (32) | return code (32, signed)
 * and the slots known on return; call site, absent mask and the slots known on
 * entry are those of the TB_R_DEF record with this number.
 *
 * Scalars take a word (int sign extended; handle zero extended to 64 bits; of a request whose handle others may have,
 * too, TB_REQUEST_DONE, the handle's low 8 bits in bits 48..55, and where the program keeps it in bits 0..47, 0 if not
 * known). Arrays: a count word (low 48 bits n, bits 48..55 kind TB_A_*, bits 56..63
 * element bytes 1, 4 or 8), then n elements, zero padded to a word. Arrays of handles
 * and of displacements have 8-byte elements. A string is an array of 1-byte
 * elements without the NUL. String arrays: a count word of kind TB_A_LIST,
 * then n strings (or n string arrays). Status: three words, see TB_STATUS. An
 * array of statuses: a count word of kind TB_A_STATUS, then n statuses. */
enum {
    TB_F_NESTED = 1,       /* made by a callback of the application inside another call */
    TB_F_ENTER = 2,        /* entry part only: the call made nested calls; TB_F_EXIT follows */
    TB_F_EXIT = 4,         /* w0..w4, then the slots known on return */
    TB_F_STACK = 8,        /* w3 is a stack id */
    TB_F_HIDDEN = 16,      /* filtered out, or tracing is off: objects only, not shown */
    TB_F_REF = 32,         /* refers to a definition */
    TB_F_IGNORED = 64,     /* statuses that the program ignored are there nevertheless; their bit in the absent mask is
                              set. Not said in an entry part */
};
enum { TB_A_PLAIN = 0, TB_A_LIST = 1, TB_A_STATUS = 2,
       TB_A_SENTINEL = 3   /* no array: n is 1 MPI_UNWEIGHTED, 2 MPI_WEIGHTS_EMPTY */ };
/* Status: word 0 = source | tag << 32; word 1 = error | cancelled << 32;
 * word 2 = bytes received. The error field is 0 unless the call returned
 * MPI_ERR_IN_STATUS.
 *
 * A program that ignores the status of a receive from any source, or of any tag, does not say which message it got.
 * The runtime then passes a status of its own to the library, and a call that succeeds is recorded with it and
 * TB_F_IGNORED. So is, at least, a call that completes requests if one that it was given is of such a receive; the
 * collector knows whether it is. */

enum { TB_DEF_MAX = 1 << 20, TB_DEF_GENERATIONS = 1 << 12 };

/* Segment words: what an address becomes. Bits 60..63 class.
 *   LITERAL  bits 0..59, signed: NULL, a sentinel, a plain displacement
 *   HEAP     bits 40..59 segment number, 0..39 offset in it
 *   MODULE   bits 40..59 module number, 0..39 offset from its load address
 *   STACK    bits 40..59 thread, 0..39 signed offset from the thread's anchor
 *   FUNCTION bits 40..59 module number, 0..39 offset of a function from its load address
 *   TREE     bits 40..59 thread, 0..39 number of a tree of calls, see TB_R_TREE
 *   RAW      bits 0..59: an address that belongs to nothing known */
enum { TB_W_LITERAL = 0, TB_W_HEAP = 1, TB_W_MODULE = 2, TB_W_STACK = 3, TB_W_FUNCTION = 4, TB_W_TREE = 5,
       TB_W_RAW = 15 };
#define TB_REQUEST_DONE 0x8000000000000000

/* Ids of the runtime's own records; w1 is the time, w2..w4 are 0, the payload
 * starts at word 5 and uses the encodings above. */
enum {
    TB_R_PAD = 0,      /* nothing */
    TB_R_PROCESS = 1,  /* first record of a process: strings "key=value" (list): exe, host, lib (version), mpi, cmd ...;
                          a later one adds facts: clock_sync */
    TB_R_ABI = 2,      /* word abi (1 Open MPI, 2 MPICH, 3 MPI 5), word handle bits, array of pairs
                          (predefined index, handle value), 8 bytes each */
    TB_R_WORLD = 3,    /* word rank, word size in MPI_COMM_WORLD, after initialisation */
    TB_R_MODULE = 4,   /* word number, word load address, word bytes, string path, string build-id (hex) */
    TB_R_STACK = 5,    /* word stack id, array of segment words: innermost frame first, folded */
    TB_R_LOST = 6,     /* word calls lost here */
    TB_R_CONTROL = 7,  /* word 1 tracing switched on, 0 off */
    TB_R_CLOCK = 8,    /* word ticks, word CLOCK_REALTIME ns, word CLOCK_MONOTONIC ns,
                          word clock (1 TSC, 2 clock_gettime) */
    TB_R_END = 9,      /* the process reached its end in order (destructor); word 1 if after MPI_Finalize, or if it
                          never initialised MPI */
    TB_R_DEF = 10,     /* word number (below TB_DEF_MAX, plus TB_DEF_MAX for each time that numbers began anew),
                          word id and flags as in w0 | absent mask << 32, word call site, then the slots known on
                          entry: valid for this thread until the number is defined anew */
    TB_R_TREE = 11,    /* word TREE, word FUNCTION (0: none), then word by word what it called, a TREE or a FUNCTION, and how
                          often in a row: these are known by then */
    TB_R_SEGALLOC = 16, /* pseudo call, shown: word segment number, word kind (TB_MEM_*), word bytes */
    TB_R_SEGFREE = 17,  /* pseudo call, shown: word segment number */
    TB_R_CREATE = 18,   /* pseudo call, shown: the thread created one: word number */
    TB_R_BEGIN = 19,    /* pseudo call, shown, the first record of a thread whose creation is recorded: word creations of
                           threads with its number since the last one that made calls, its own included */
    TB_R_JOIN = 20,     /* pseudo call, shown: the thread waited for the end of the thread with a number, which has made
                           calls: word number */
};
enum { TB_MEM_HEAP = 1, TB_MEM_MAP = 2, TB_MEM_MPI = 3, TB_MEM_GPU = 4, TB_MEM_GPU_MANAGED = 5, TB_MEM_GPU_HOST = 6 };
#endif
