package cli

import (
	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/capture"
	"github.com/tabard-hpc/tabard/internal/record/launch"
)

// collectorCommand is the body of the collector, which record starts.
func collectorCommand() *cobra.Command {
	return &cobra.Command{
		Use: launch.CollectorCommand, Hidden: true, DisableFlagParsing: true,
		Short: "Collect the calls of a node (started by record)",
		RunE: func(_ *cobra.Command, args []string) error {
			return exitCode(launch.Collector(args))
		},
	}
}

// spawnedCommand becomes a program that MPI_Comm_spawn starts.
func spawnedCommand() *cobra.Command {
	return &cobra.Command{
		Use: "__spawned", Hidden: true, DisableFlagParsing: true,
		Short: "Record a spawned program (used by the runtime)",
		RunE: func(_ *cobra.Command, args []string) error {
			return exitCode(launch.Spawned(args, capture.Runtime()))
		},
	}
}

// jobCommand becomes a program that a recorded script starts.
func jobCommand() *cobra.Command {
	return &cobra.Command{
		Use: launch.JobCommand, Hidden: true, DisableFlagParsing: true,
		Short: "Record a job of a script (used by the runtime)",
		RunE: func(_ *cobra.Command, args []string) error {
			return exitCode(launch.Join(args, capture.Runtime()))
		},
	}
}
