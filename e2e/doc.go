// Package e2e tests tabard on real MPI programs under real MPIs: the scripts
// of testdata/script, and faults at random moments. Its tests have the build
// tag e2e because they need Open MPI, MPICH, HPCC and LAMMPS; `make test`
// installs those on Debian and runs them:
//
//	go test -tags e2e ./e2e
//
// TABARD_BIN names the binary to test (default: bin/tabard of the repository).
package e2e
