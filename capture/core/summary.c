/* The line that Tabard prints at the end of a job. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/internal.h"

/* WRITE_TIMES: how many times as long as until the collector begins to write the archive it is waited for in all. */
enum { PRINT_MS = 1000, WRITE_TIMES = 120 };

/* Where standard error went when the process began: the program may have closed
 * it and have a file of its own under the number. */
static struct stat first_stderr;

void tb_summary_start(void)
{
    if (fstat(2, &first_stderr) != 0) first_stderr.st_ino = 0;
}

static int can_print(void)
{
    struct stat now;
    struct pollfd p = {2, POLLOUT, 0};
    return fstat(2, &now) == 0 && first_stderr.st_ino != 0 && now.st_ino == first_stderr.st_ino &&
           now.st_dev == first_stderr.st_dev && poll(&p, 1, PRINT_MS) == 1 && p.revents == POLLOUT;
}

/* Neither a reader that has gone away nor a terminal that stops background
 * output may end or stop a process that would have come to its end without us. */
void tb_print(const char *line, size_t n)
{
    static const struct timespec at_once;
    sigset_t ours, before, pending;
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGTTOU);
    if (!can_print() || pthread_sigmask(SIG_BLOCK, &ours, &before) != 0) return;
    sigpending(&pending);
    if (write(2, line, n) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE)) {
        sigdelset(&ours, SIGTTOU);
        sigtimedwait(&ours, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The collector writes the archive, or will when it has taken in what lies before it: nobody else is waited for. */
static int will_be_written(const struct tb_control *ctl, uint32_t state)
{
    return state == TB_ARCHIVE_WRITING ||
           (ctl->local_ranks && __atomic_load_n(&ctl->finalized, __ATOMIC_ACQUIRE) >= ctl->local_ranks);
}

/* Who starts the program may look for the recording when it has ended, and batch systems end whatever still runs
 * then. So the process of rank 0, and the least rank on other nodes, waits until the archive lies in its place: for a
 * while until the collector begins to write it, which it does when it has seen all ranks leave MPI_Finalize, and much
 * longer as it writes: on a machine with much else to do, to write ten million calls without order takes minutes. A
 * collector that stops to show signs of life, as it does where it makes no progress, is not waited for. */
void tb_archive_wait(int print_summary)
{
    static const char follows[] = "tabard: the recording is still being written, and follows\n";
    struct tb_control *ctl = tb_process.control;
    struct timespec pause = {0, 1000000};
    uint64_t waited, begin = tb_monotonic();
    uint32_t state, n;
    int alive = 1;
    while ((state = __atomic_load_n(&ctl->archive, __ATOMIC_ACQUIRE)) != TB_ARCHIVE_DONE &&
           (alive = tb_collector_alive())) {
        waited = (tb_monotonic() - begin) / (will_be_written(ctl, state) ? WRITE_TIMES : 1);
        if (waited >= ctl->summary_wait_ns) break;
        nanosleep(&pause, NULL);
    }
    if (state != TB_ARCHIVE_DONE && alive && will_be_written(ctl, state)) tb_print(follows, sizeof follows - 1);
    n = __atomic_load_n(&ctl->summary_len, __ATOMIC_ACQUIRE);
    if (!print_summary || __atomic_exchange_n(&ctl->said, 1, __ATOMIC_ACQ_REL)) return;
    /* Nothing is said if the user wants it so, or later by the collector if it is slow. */
    if (n == 0 && state != TB_ARCHIVE_DONE && !alive)
        n = (uint32_t)strnlen(ctl->summary, sizeof ctl->summary);
    if (n == 0 || n >= sizeof ctl->summary) {
        __atomic_store_n(&ctl->said, state == TB_ARCHIVE_DONE, __ATOMIC_RELEASE);
        return;
    }
    char line[sizeof ctl->summary + 1];
    memcpy(line, ctl->summary, n);
    if (line[n - 1] != '\n') line[n++] = '\n';
    tb_print(line, n);
}
