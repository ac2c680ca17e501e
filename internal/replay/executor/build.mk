# The replay executor, for the top-level Makefile: include internal/replay/executor/build.mk
REPLAY = internal/replay/executor
$(REPLAY)/tabard-replay: $(wildcard $(REPLAY)/*.c $(REPLAY)/*.h $(REPLAY)/*.S capture/*.h capture/gen/*.h) capture/kind.c $(REPLAY)/build.sh
	$(REPLAY)/build.sh
$(REPLAY)/libtabardreplay.so: $(REPLAY)/tabard-replay
