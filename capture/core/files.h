/* Files of the runtime. They lie in directories of this user that nobody else may look into: that is checked each time,
 * of the directory that is then used. No link is followed, and nothing blocks. */
#ifndef TABARD_FILES_H
#define TABARD_FILES_H
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Opens a file with flags of open(2); -1 and errno if there is none that may be used. */
int tb_file_open(const char *dir, const char *name, int flags);
/* Opens a FIFO for writing, which does not block; errno is ENXIO if nobody reads it. */
int tb_fifo_open(const char *dir, const char *name);
void tb_file_remove(const char *dir, const char *name);

/* Maps the first bytes of a file, shared; NULL if it is shorter, or cannot be mapped. */
void *tb_file_map(int fd, size_t bytes);
void tb_file_unmap(void *p, size_t bytes);

#pragma GCC visibility pop
#endif
