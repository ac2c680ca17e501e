// Package executor holds the program that makes the calls of a replay: a small C program (program.h
// says what it is told) that links no MPI, built by build.sh and embedded here.
package executor

import _ "embed" // for the program

// The C files carry "go:build ignore" because the go command refuses C files
// in a package that does not use cgo.

var (
	//go:embed tabard-replay
	program []byte
	//go:embed libtabardreplay.so
	shim []byte
)

// Program returns the executable; the caller must not change it. It loads Shim, which
// has to lie beside it as libtabardreplay.so.
func Program() []byte { return program }

// Shim returns the shared library that holds all of the executor and, in the order in which the
// dynamic linker looks for functions, stands between a tracer and the MPI library. The caller must
// not change it.
func Shim() []byte { return shim }
