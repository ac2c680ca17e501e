// Functions of the C library: 1000 times open, write and close, and little else.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 1000; i++) {
        int fd = open("written", O_CREAT | O_WRONLY, 0600);
        if (write(fd, "x", 1) != 1) return 1;
        close(fd);
    }
    puts("done");
    return 0;
}
