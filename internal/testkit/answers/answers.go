// Package answers asks a built tabard as users do, and reads what it says.
package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
)

// Read puts what a command says with --json, which is among args, into to. A command that fails is an error with what
// it says of that.
func Read(to any, tabard string, args ...string) error {
	out, err := exec.Command(tabard, args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("tabard %s: %w: %s", args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(out, to)
}
