/* Prints whether each place in the arguments can spare the bytes: space BYTES DIR... */
#include "core/space.c"

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        printf("%d%d ", tb_space_in_memory(argv[i]), tb_space_for(argv[i], strtoull(argv[1], NULL, 10)));
    printf("\n");
    return 0;
}
