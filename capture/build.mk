# The runtime, for the top-level Makefile: include capture/build.mk
capture/libtabard.so: $(wildcard capture/*.c capture/*.h capture/libtabard.map capture/gen/*.c capture/gen/*.h) capture/build.sh
	capture/build.sh $@
