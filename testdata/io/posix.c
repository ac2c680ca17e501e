/* Reads and writes files by descriptors and by streams: what strace sees of it is compared with what is recorded. */
#define _GNU_SOURCE
#include <stdio.h>
#include <fcntl.h>
#include <unistd.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
int main(void)
{
    char buf[4096], name[64];
    memset(buf, 7, sizeof buf);
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "a.%d", k);
        int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
        for (int i = 0; i < 100; i++) if (write(fd, buf, 1000) != 1000) return 1;
        lseek(fd, 0, SEEK_SET);
        for (int i = 0; i < 20; i++) if (pread(fd, buf, 512, 4096 * i) != 512) return 2;
        while (read(fd, buf, 4096) > 0) {}
        fsync(fd);
        close(fd);
    }
    FILE *f = fopen("b.txt", "w");
    for (int i = 0; i < 50; i++) fprintf(f, "line %d\n", i);
    fputs("end\n", f);
    fclose(f);
    f = fopen("b.txt", "r");
    while (fgets(buf, sizeof buf, f)) {}
    fseek(f, 10, SEEK_SET);
    if (fread(buf, 1, 33, f) != 33) return 3;
    fclose(f);
    int fd = open("a.0", O_RDONLY);
    char *p = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 4096);
    if (p[5] != 7) return 5;
    munmap(p, 8192);
    int d = dup(fd);
    close(fd);
    if (read(d, buf, 10) != 10) return 6;
    close(d);
    if (open("nosuch", O_RDONLY) >= 0) return 4;
    struct stat st;
    stat("a.1", &st);
    rename("a.1", "c.1");
    unlink("c.1");
    return 0;
}
