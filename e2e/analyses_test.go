//go:build e2e

package e2e

import (
	"fmt"

	"tabard/analysis/profile"
	"tabard/analysis/profile/profiletest"
	"tabard/analysis/selection"
	"tabard/analysis/traffic/traffictest"
	"tabard/trace"
)

// analyses compares what the analyses find in an archive, which work on its structure, with references that
// look at every call.
func analyses(file string) error {
	a, err := trace.Open(file)
	if err != nil {
		return err
	}
	defer a.Close()
	for _, f := range []selection.Flags{{}, {Functions: "p2p,start"}, {Comms: "0"}} {
		if _, err := traffictest.Compare(a, f); err != nil {
			return fmt.Errorf("traffic %+v: %w", f, err)
		}
	}
	for by, how := range map[profile.By]profile.Timing{{Site: true}: profile.Summary, {Func: true, Comm: true, Rank: true}: profile.Exact} {
		if err := profiletest.Compare(a, selection.Flags{}, by, how); err != nil {
			return fmt.Errorf("profile %+v: %w", by, err)
		}
	}
	return nil
}
