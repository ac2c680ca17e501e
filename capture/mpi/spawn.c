/* Spawned processes inherit the environment of the MPI launcher, not ours, so a
 * preloaded library alone does not reach them: they are started through the
 * tabard binary, which sets up tracing and becomes the program:
 *     command args...  ->  $TABARD_EXE __spawned $TABARD_DIR -- command args...
 * Whatever is unusual is left as it is; the spawned processes are then untraced. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
#include "core/core.h"
#include "mpi/library.h"

enum { FIXED_ARGUMENTS = 4, MAX_ARGUMENTS = 100000, MAX_COMMANDS = 4096 };

static int may_replace(int root, uintptr_t comm, const char **launcher)
{
    const char *off = getenv("TABARD_SPAWN"), *exe = getenv("TABARD_EXE");
    if (tb_process.state != TB_ACTIVE || tb_process.pid != (int)getpid()) return 0;
    if ((off && strcmp(off, "off") == 0) || tb_abi.kind != 1 || root < 0) return 0;
    if (!exe || exe[0] != '/' || access(exe, X_OK) != 0) return 0;
    *launcher = exe;
    return tb_is_root(comm, root);
}

/* A search path names where the command lies, which says nothing about the launcher. */
static int has_search_path(uintptr_t info)
{
    int (*get)(uintptr_t, const char *, int, char *, int *) =
        (int (*)(uintptr_t, const char *, int, char *, int *))tb_library_symbol("PMPI_Info_get");
    uintptr_t null = (uintptr_t)tb_library_variable("ompi_mpi_info_null");
    char value[8];
    int found = 0;
    if (!info || info == null) return 0;
    return !get || get(info, "path", sizeof value - 1, value, &found) != 0 || found;
}

static int count_arguments(char **argv)
{
    int n = 0;
    while (argv && argv[n] && n < MAX_ARGUMENTS) n++;
    return n;
}

static char **launcher_arguments(const char *command, char **argv)
{
    int n = count_arguments(argv);
    char **to = n < MAX_ARGUMENTS ? malloc((size_t)(n + FIXED_ARGUMENTS + 1) * sizeof *to) : NULL;
    if (!to) return NULL;
    to[0] = (char *)"__spawned";
    to[1] = tb_process.dir;
    to[2] = (char *)"--";
    to[3] = (char *)command;
    for (int i = 0; i < n; i++) to[FIXED_ARGUMENTS + i] = argv[i];
    to[FIXED_ARGUMENTS + n] = NULL;
    return to;
}

/* Queries made here must neither be recorded nor be taken for calls of the program. */
static struct tb_thread *mute(void)
{
    struct tb_thread *t = tb_current();
    if (t) t->priv->muted++;
    return t;
}

static void unmute(struct tb_thread *t)
{
    if (t) t->priv->muted--;
}

void tb_hook_spawn(struct tb_spawn *s, const char *command, char **argv, uintptr_t info, int root, uintptr_t comm)
{
    const char *launcher;
    *s = (struct tb_spawn){.command = (char *)command, .argv = argv};
    struct tb_thread *t = mute();
    if (t && command && may_replace(root, comm, &launcher) && !has_search_path(info)) {
        char **to = launcher_arguments(command, argv);
        if (to) *s = (struct tb_spawn){.command = (char *)launcher, .argv = to, .memory = to};
    }
    unmute(t);
}

/* One array of pointers holds what the call needs: commands, argument lists. */
static void replace_all(struct tb_spawn *s, int count, const char *launcher)
{
    char **commands = malloc((size_t)count * sizeof *commands);
    char ***argvs = calloc((size_t)count + 1, sizeof *argvs); /* NULL terminated for tb_spawn_free */
    int made = 0;
    for (; commands && argvs && made < count; made++) {
        if (!s->commands[made]) break;
        if (!(argvs[made] = launcher_arguments(s->commands[made], s->argvs ? s->argvs[made] : NULL))) break;
        commands[made] = (char *)launcher;
    }
    if (commands && argvs && made == count) {
        *s = (struct tb_spawn){.commands = commands, .argvs = argvs, .memory = argvs};
        return;
    }
    while (made > 0) free(argvs[--made]);
    free(argvs);
    free(commands);
}

void tb_hook_spawn_multiple(struct tb_spawn *s, int count, char **commands, char ***argvs, const void *infos, int root,
                            uintptr_t comm)
{
    const char *launcher;
    *s = (struct tb_spawn){.commands = commands, .argvs = argvs};
    struct tb_thread *t = mute();
    int fits = t && may_replace(root, comm, &launcher) && commands && count > 0 && count <= MAX_COMMANDS;
    for (int i = 0; fits && infos && i < count; i++) fits = !has_search_path(((const uintptr_t *)infos)[i]);
    if (fits) replace_all(s, count, launcher);
    unmute(t);
}

void tb_spawn_free(struct tb_spawn *s)
{
    if (!s->memory) return;
    if (s->commands) {
        for (char ***a = s->argvs; *a; a++) free(*a);
        free(s->commands);
    }
    free(s->memory);
}
