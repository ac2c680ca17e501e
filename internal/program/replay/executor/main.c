//go:build ignore

/* The program: all of it is in libtabardreplay.so, which thus stands before the MPI library, and
 * behind a tracer, in the order in which the dynamic linker looks for functions. */
int tabard_replay(int argc, char **argv);

int main(int argc, char **argv) { return tabard_replay(argc, argv); }
