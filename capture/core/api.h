/* What the runtime asks of a traced API. The core, memory/ and sites/ know MPI, and any API that
 * comes, by this alone: the table tb_apis (apis.c) says which there are. An API that has a room in
 * capture/ has its table there: tb_api_NAME. Any function may be NULL: the API has nothing to say there. */
#ifndef TABARD_API_H
#define TABARD_API_H
#include "core/core.h"

#pragma GCC visibility push(hidden)

/* Facts of a TB_R_PROCESS record, as strings "key=value". */
struct tb_facts {
    uint64_t words[2048];
    unsigned used, count;
};
void tb_fact(struct tb_facts *f, const char *key, const char *value);

/* What an object of the process is to the API. */
enum { TB_MODULE_PLAIN, TB_MODULE_LIBRARY, TB_MODULE_BINDING };

struct tb_api {
    /* Recorded as hidden whatever the filter says: functions with hooks. NULL ends the list. */
    const char *const *always;
    /* When the runtime has been loaded, before the program begins: may ask tb_is_chosen. */
    void (*loaded)(void);
    /* The calling thread is about to create another one, in a process that is recorded. */
    void (*thread_is_created)(void);
    /* When the process becomes active: finds out what the library looks like. */
    void (*start)(void);
    /* When the first thread is there: facts about the library, and records of its own. */
    void (*add_facts)(struct tb_facts *f);
    void (*emit_records)(struct tb_thread *t);
    /* TB_MODULE_*, by the file name of an object. */
    int (*module_kind)(const char *file);
    /* An address in the object that is the library, whatever its name; NULL if none is loaded. */
    const void *(*library_address)(void);
    /* Whether a library is loaded so that calls of it need not come here: with dlopen, for dlsym. */
    int (*hidden_library)(void);
    /* The id of a function by any symbol that it has; -1 if the symbol is none of this API. */
    int (*function_named)(const char *symbol);
    /* MPI_Finalize begins, as far as it is recorded: what is still held back is recorded now. */
    void (*ending)(void);
    /* A call is going to be recorded in a thread that holds events back (tb_thread.held): they come first. */
    void (*before)(struct tb_thread *t);
    /* The calling thread makes no more calls, or does without its state for now; this process is a forked child. */
    void (*thread_ends)(struct tb_thread *t, int for_now);
    void (*child)(void);
    /* What is called instead of a function that no loaded library has; NULL: the process ends, as it would without
     * us. */
    void *(*missing)(const char *symbol);
};
extern const struct tb_api *const tb_apis[]; /* NULL ends it */

/* The control page while the process has not begun; NULL if there is none. */
struct tb_control *tb_control_look(void);
void tb_control_looked(struct tb_control *c);
/* Events of the kind that this one is of are recorded, as the control page says; none, if there is none. */
int tb_is_chosen(int id);
/* This process is one that `tabard record` became, not one that the program started. */
int tb_is_registered(void);

#pragma GCC visibility pop
#endif
