# The runtime, for the top-level Makefile: include capture/build.mk
CAPTURE = $(shell find capture -path capture/testdata -prune -o -name '*.[ch]' -print)
capture/libtabard.so: $(CAPTURE) capture/libtabard.map capture/build.sh
	capture/build.sh $@
