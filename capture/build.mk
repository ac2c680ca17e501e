# The runtime, for the top-level Makefile: include capture/build.mk
CAPTURE = $(foreach room,. core memory sites mpi mpi/gen nccl posixio posixio/gen regions,capture/$(room)/*.c capture/$(room)/*.h)
capture/libtabard.so: $(wildcard $(CAPTURE) capture/libtabard.map) capture/build.sh
	capture/build.sh $@
