//go:build e2e

package e2e

import (
	"fmt"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/plainprofile"
	"github.com/tabard-hpc/tabard/internal/testkit/plaintraffic"
)

// analyses compares what the analyses find in an archive, which work on its structure, with
// references that look at every call.
func analyses(file string) error {
	a, err := archive.Open(file)
	if err != nil {
		return err
	}
	defer a.Close()
	for _, f := range []selection.Flags{{}, {Functions: "p2p,start"}, {Comms: "0"}} {
		if _, err := plaintraffic.Compare(a, f); err != nil {
			return fmt.Errorf("traffic %+v: %w", f, err)
		}
	}
	for by, how := range map[profile.GroupBy]profile.Timing{{Site: true}: profile.Summary,
		{Func: true, Comm: true, Rank: true}: profile.Exact} {
		if err := plainprofile.Compare(a, selection.Flags{}, by, how); err != nil {
			return fmt.Errorf("profile %+v: %w", by, err)
		}
	}
	return nil
}
