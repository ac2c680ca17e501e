/* The real MPI library (library.c, kind.c). */
#ifndef TABARD_LIBRARY_H
#define TABARD_LIBRARY_H
#include "mpi/wrapper.h"

#pragma GCC visibility push(hidden)

/* A function of the real MPI library by its exported name ("PMPI_Comm_rank"),
 * NULL if the library lacks it or none is loaded. Never one of ours. */
void *tb_library_symbol(const char *name);
void *tb_library_variable(const char *name); /* likewise a variable, as the program sees it */
const void *tb_library_address(void);        /* in the object that defines PMPI_Init, NULL if none is loaded */
int tb_library_hidden(void);                 /* there is one, and the names of its functions do not lead through ours */
const char *tb_library_path(void);           /* "" if unknown */
const char *tb_library_version(void);        /* first line, "" if unknown */

void tb_abi_detect(void);                      /* fills tb_abi */
uintptr_t tb_predefined_comm(int self);        /* MPI_COMM_WORLD or MPI_COMM_SELF; 0 while the library is unknown */
uint64_t tb_predefined_handle(uint32_t index); /* TB_PREDEFINED_*; TB_NO_HANDLE if unknown */
void tb_emit_abi(struct tb_thread *t);
void tb_library_late(void);                    /* the first call of MPI, in a process that was active before */

int tb_is_spawned(void); /* this process is a child of MPI_Comm_spawn */

/* Of finalize.c: after MPI_Finalize returned, what is still to be recorded of it. */
void tb_finalized(struct tb_thread *t);

#pragma GCC visibility pop
#endif
