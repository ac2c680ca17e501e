# The replay executor, for the top-level Makefile: include internal/program/replay/executor/build.mk
REPLAY = internal/program/replay/executor
$(REPLAY)/tabard-replay: $(wildcard $(REPLAY)/*.c $(REPLAY)/*.h $(REPLAY)/*.S capture/core/*.h capture/mpi/*.h capture/mpi/gen/*.h) capture/mpi/kind.c $(REPLAY)/build.sh
	$(REPLAY)/build.sh
$(REPLAY)/libtabardreplay.so: $(REPLAY)/tabard-replay
