/* What `tabard replay` tells the executor to do: one stream of 64-bit words for each thread of the
 * recorded process, each through a pipe of its own. internal/program/replay writes it (program.go),
 * execute.c follows it.
 *
 *   header   RP_MAGIC, version, RP_HEADER_* words
 *   strings  count, then each: length in bytes, bytes padded to words
 *   arrays   count, then each: number of words, words
 *   terminals count, then each: RP_TERMINAL_* words, then its parameters: RP_PARAM_WORDS words each
 *   rules    count, then each: number of symbols, then for each: id (terminal, or rule | RP_RULE),
 *            count
 *   values   until the end of the pipe: what parameters with RP_NEXT read, in the order of events
 *            and of parameters
 *
 * Rule 0 is the word of the stream: its events in order. Numbers below are words, signed ones in
 * two's complement. */
#ifndef TABARD_REPLAY_PROGRAM_H
#define TABARD_REPLAY_PROGRAM_H
#include <stdint.h>

#define RP_MAGIC UINT64_C(0x31304c5052424154) /* "TABRPL01" */
#define RP_RULE (UINT64_C(1) << 31)

/* The header after the magic number, in words. */
enum rp_header {
    RP_HEADER_VERSION,   /* 1 */
    RP_HEADER_WORDS,     /* of the header after this one, for additions */
    RP_HEADER_THREAD,    /* number of this stream's thread; 0 is the first one of the process */
    RP_HEADER_THREADS,   /* of the process; only the first one's header is looked at */
    RP_HEADER_ABI,       /* kind of the library that the values are for, as in capture/mpi/kind.c: 1 Open MPI, 2
                          * MPICH, 3 MPI 5 */
    RP_HEADER_FLAGS,     /* RP_FLAG_* */
    RP_HEADER_PATIENCE,  /* ns in one call after which the replay ends with a report; 0 never */
    RP_HEADER_RANK, RP_HEADER_SIZE, /* expected in MPI_COMM_WORLD */
    RP_HEADER_CALLS,     /* number of calls of the stream, for reports */
    RP_HEADER_SCRATCH,   /* string number + 1: the directory that files are in, 0: names are as recorded. The shim
                          * gives the library DIR "/" and the name with '%' for each '/' */
    RP_HEADER_FAR,       /* array number + 1 of begins and ends: distances that datatypes lead over, see RP_CALL_FAR;
                          * 0: none */
    RP_HEADER_END
};
enum {
    RP_FLAG_GAPS = 1,    /* before each event one value: ns of computation to wait for since the last call returned */
    RP_FLAG_FORCED = 2,  /* outcomes as recorded: terminals have an outcome, see below */
    RP_FLAG_UNFINISHED = 4, /* the recorded process made no MPI_Finalize: end without, and do not call that a failure
                             * of the replay */
    RP_FLAG_OWN = 8,     /* datatypes may lead out of memory of MPI_Alloc_mem: only MPI_Free_mem is given that, all
                          * other calls have memory in the range of all segments instead */
};

/* A terminal: what all its calls have in common. */
enum rp_terminal {
    RP_TERMINAL_NAME,    /* string: the function, e.g. "MPI_Send" */
    RP_TERMINAL_TEXT,    /* string: the call as tabard prints it, with its call site, for reports */
    RP_TERMINAL_FLAGS,   /* RP_CALL_* */
    RP_TERMINAL_OUTCOME, /* RP_OUTCOME_*: what else is read from the values before the call, after its parameters */
    RP_TERMINAL_OUTCOME_PARAM, /* of the outcome, see there */
    RP_TERMINAL_SITE,    /* number of the call site: calls of one site are made from one address, those of others
                          * from other addresses */
    RP_TERMINAL_PARAMS,  /* number of parameters, in the order of the C binding */
    RP_TERMINAL_END
};
enum {
    RP_CALL_SKIP = 1,    /* is not made; its values are read all the same */
    RP_CALL_FLOAT = 2,   /* returns a double (MPI_Wtime) */
    RP_CALL_VOIDP = 4,   /* returns no error code */
    RP_CALL_FAILS = 8,   /* returned an error in the recording: an error now is no surprise */
    RP_CALL_UNTIL = 16,  /* an unsuccessful poll is repeated until it succeeds: the word at pointer parameter
                          * RP_TERMINAL_OUTCOME_PARAM is not 0 (Testsome: MPI_UNDEFINED counts as success, 0 does
                          * not). Only without RP_FLAG_FORCED. */
    RP_CALL_ORDERED = 32, /* after the gap and before the values of parameters come as many values as the process has
                           * threads: how many events each of the others (0 for this one) must have finished before.
                           * It is waited for, but not for ever: recorded times may be wrong by a bit */
    RP_CALL_FAR = 64,    /* uses memory by a datatype of the program: there has to be memory at the distances of
                          * RP_HEADER_FAR from its addresses */
    RP_CALL_REMOTE = 128, /* parameter RP_TERMINAL_OUTCOME_PARAM may be an address in another process: a number from
                           * RP_LEAST_ADDRESS on */
};

#define RP_LEAST_ADDRESS (INT64_C(1) << 40)

/* How outcomes are forced. The shim (force.c) stands between a tracer and the library: the call has
 * the parameters of the recording, and what the library is asked for is what happened. */
enum rp_outcome {
    RP_OUTCOME_FREE,
    RP_OUTCOME_SOURCE,   /* receives and probes from any source or with any tag: two values, source and tag (in the
                          * target's numbers; RP_ANY if unknown) */
    RP_OUTCOME_FLAG,     /* a poll of one thing (Test, Iprobe, Improbe, Testall, Request_get_status, Win_test,
                          * Parrived): one value, 0 or 1; Iprobe and Improbe with 1: then source and tag, too */
    RP_OUTCOME_POLLS,    /* a run of unsuccessful polls: one value, how many. The call is made that often, and says
                          * no each time */
    RP_OUTCOME_INDEX,    /* Waitany, Testany: one value, the index; -1 is MPI_UNDEFINED; Testany: before it the flag */
    RP_OUTCOME_SOME,     /* Waitsome, Testsome: number of indices (-1 is MPI_UNDEFINED), then the indices */
};
#define RP_ANY INT64_MIN

/* A parameter: RP_PARAM_OP and three words a, b, c. "Code" is archive.Value's code of a reference:
 * odd for predefined object (code - 1) / 2 (index in spec.Predefineds), even and not 0 for object
 * (code - 2) / 2 of its class, 0 for nothing that is known (the null handle of the class then).
 * RP_NEXT set in the op: what the table calls "value" comes from the values. */
enum { RP_PARAM_OP, RP_PARAM_A, RP_PARAM_B, RP_PARAM_C, RP_PARAM_WORDS };
#define RP_NEXT (UINT64_C(1) << 32)

enum rp_op {
    RP_OP_WORD,        /* a: the value itself (also pointers that are constants: MPI_BOTTOM, MPI_STATUS_IGNORE, NULL) */
    RP_OP_HANDLE,      /* a: class (spec.Class), value b: code */
    RP_OP_HANDLE_IO,   /* pointer to a handle that the call reads and may change: a, value b as above; written back
                        * to the object */
    RP_OP_HANDLE_NEW,  /* pointer to a handle that the call writes: a: class, value b: code of the new object,
                        * RP_NO_CODE if it is of no use */
    RP_OP_HANDLES,     /* pointer to an array of handles that are read and written back: a: class, value b: array of
                        * codes (RP_NEXT: a count and that many codes) */
    RP_OP_HANDLES_NEW, /* pointer to an array of handles that the call writes: as above; c: capacity if larger than
                        * the number of codes */
    RP_OP_ADDRESS,     /* a: memory class (archive.Mem), b: segment, c: offset; RP_NEXT: three values a, b, c */
    RP_OP_VARIABLE,    /* a: string: what this pointer variable of the library holds (MPICH's MPI_UNWEIGHTED) */
    RP_OP_ADDRESS_NEW, /* pointer to a pointer that the call sets: a, b, c as above say which address that is: the
                        * segment lies there from now on; RP_NEXT as above. Class 0: the address is of no use */
    RP_OP_INT_IO,      /* pointer to a number: a: bits (32, 64), value b: what it is before the call */
    RP_OP_INTS,        /* pointer to an array of numbers: a: bits, value b: array (RP_NEXT: a count and that many
                        * numbers); also room for what is written: c: capacity; with c the array is written anew
                        * before each call */
    RP_OP_ADDRESSES,   /* pointer to an array of MPI_Aint that may be addresses: value b: array of triples class,
                        * segment, offset (RP_NEXT: a count of triples, then they); Literal is the number itself */
    RP_OP_STRING,      /* pointer to a string: a: string; not to be changed by the call */
    RP_OP_STRINGS,     /* pointer to a NULL-terminated array of strings: value b: array of string numbers */
    RP_OP_STRINGS2,    /* pointer to an array of such: b: array: for each a count and string numbers */
    RP_OP_ROOM,        /* pointer to a bytes of memory for results, zeroed before the call */
    RP_OP_STATUS,      /* pointer to room for value a statuses */
    RP_OP_STATUS_IN,   /* pointer to a status: value b: array of source, tag, bytes, error | cancelled << 32
                        * (RP_NEXT: these four words) */
    RP_OP_CALLBACK,    /* a: RP_CALLBACK_*: a neutral function */
    RP_OP_ARGV,        /* of MPI_Init: pointer to a pointer to a NULL-terminated array of strings: b: array of string
                        * numbers */
    RP_OP_END
};
#define RP_NO_CODE INT64_MIN

enum rp_callback {
    RP_CALLBACK_OP,          /* MPI_User_function: leaves the buffers as they are */
    RP_CALLBACK_OP_C,        /* with MPI_Count* */
    RP_CALLBACK_COPY,        /* attribute copy function: flag = 1, the same value */
    RP_CALLBACK_NO_COPY,     /* the same that says flag = 0 */
    RP_CALLBACK_DELETE,      /* attribute delete function */
    RP_CALLBACK_ERRHANDLER,  /* returns: the call then returns its error */
    RP_CALLBACK_GREQUEST_QUERY, RP_CALLBACK_GREQUEST_FREE, RP_CALLBACK_GREQUEST_CANCEL,
    RP_CALLBACK_GREQUEST_POLL, RP_CALLBACK_GREQUEST_WAIT, /* MPIX, MPICH and Open MPI */
    RP_CALLBACK_DATAREP_EXTENT, RP_CALLBACK_DATAREP_CONVERSION,
    RP_CALLBACK_EVENT, RP_CALLBACK_EVENT_DROPPED, RP_CALLBACK_EVENT_FREE, /* of MPI_T: do nothing */
    RP_CALLBACK_NONE,        /* a null function pointer */
};
#endif
