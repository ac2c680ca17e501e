/* Jobs that a recorded script starts: `tabard record ./script.sh`, with launchers in the script.
 *
 * `tabard record` notes which launcher the process belonged to that it became, if any. A process that finds another one
 * in its environment belongs to a job of its own, and so to a recording of its own: it starts anew through the tabard
 * binary, as if `tabard record` stood between launcher and program, with the options of the script's recording:
 *     $TABARD_EXE __job -- path command args...
 * That is before main, so nothing of the program has run. What children of a rank inherit names their own launcher
 * then. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/internal.h"

enum { FIXED_ARGUMENTS = 4, COMMAND_MAX = 8 << 20 };

extern char **environ;

static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* What tells the launchers apart that the environment of a rank names, empty if it names none: as signature in
 * internal/record/launch/scriptjob.go. */
static void signature(char *to, size_t size)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "PMI_PORT", "PALS_APID"};
    const char *fd = getenv("PMI_FD"), *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
    struct stat st;
    to[0] = 0;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (!value || !value[0]) continue;
        snprintf(to, size, "%s", value);
        return;
    }
    /* MPICH's launcher gives each rank a socket. */
    if (fd && fstat(atoi(fd), &st) == 0 && S_ISSOCK(st.st_mode))
        snprintf(to, size, "socket %llu", (unsigned long long)st.st_ino);
    else if (job && job[0] && step && step[0]) snprintf(to, size, "%s.%s", job, step);
    else if (value_of("RANK")[0] && value_of("WORLD_SIZE")[0])
        snprintf(to, size, "ranks %s %s %s %s", value_of("TORCHELASTIC_RUN_ID"), value_of("MASTER_ADDR"),
                 value_of("MASTER_PORT"), value_of("WORLD_SIZE"));
}

static char *own_command(size_t *n)
{
    char *text = malloc(COMMAND_MAX);
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;
    for (*n = 0; text && fd >= 0 && got > 0 && *n < COMMAND_MAX; *n += got > 0 ? (size_t)got : 0)
        got = read(fd, text + *n, COMMAND_MAX - *n);
    if (fd >= 0) close(fd);
    if (text && *n > 0 && *n < COMMAND_MAX && !text[*n - 1]) return text;
    free(text);
    return NULL;
}

static void start_anew(const char *exe)
{
    char path[4096];
    size_t size, n = 0;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *text = own_command(&size);
    if (length <= 0 || !text) return;
    path[length] = 0;
    for (size_t i = 0; i < size; i++) n += !text[i];
    char **argv = malloc((n + FIXED_ARGUMENTS + 1) * sizeof *argv);
    if (!argv) return;
    argv[0] = (char *)"tabard";
    argv[1] = (char *)"__job";
    argv[2] = (char *)"--";
    argv[3] = path;
    for (size_t i = 0, at = 0; i < n; i++, at += strlen(text + at) + 1) argv[FIXED_ARGUMENTS + i] = text + at;
    argv[FIXED_ARGUMENTS + n] = NULL;
    if (access(path, X_OK) == 0) execve(exe, argv, environ);
    free(argv);
    free(text);
}

int tb_job_is_another(void)
{
    const char *exe = getenv("TABARD_EXE"), *noted = getenv("TABARD_JOB");
    char own[256];
    if (!exe || exe[0] != '/' || !noted || !getenv("TABARD_RECORD")) return 0;
    signature(own, sizeof own);
    if (!own[0] || strcmp(own, noted) == 0) return 0;
    if (setenv("TABARD_JOB", own, 1) == 0) start_anew(exe); /* once: see above */
    dprintf(2, "tabard: %s runs without being recorded: %s could not be started\n", program_invocation_name, exe);
    return 1;
}
