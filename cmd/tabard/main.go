// Command tabard records the MPI calls of parallel programs and reads them back.
package main

import (
	"os"

	"github.com/tabard-hpc/tabard/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdout, os.Stderr))
}
