package selection

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/suggest"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Comms is a set of communicators, as they are named on a command line.
type Comms struct {
	text  string
	items []string
}

// ParseComms understands a list of communicators, separated by commas. Each is the number
// or name that `tabard info --comms` shows, the end of such a name (cart0), a name that the
// program gave, a pattern of them with * ? [] (split*), or MPI_COMM_WORLD.
func ParseComms(s string) (*Comms, error) {
	c := &Comms{text: s}
	for _, item := range strings.Split(s, ",") {
		if item = strings.TrimSpace(item); item == "" {
			return nil, errors.New("the name of a communicator is empty")
		}
		if _, err := path.Match(item, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern", item)
		}
		c.items = append(c.items, item)
	}
	return c, nil
}

// String is the list as given.
func (c *Comms) String() string { return c.text }

// find picks the communicators of r that c names, by ID.
func (c *Comms) find(r *comms.Result) (map[int]bool, error) {
	chosen := map[int]bool{}
	for _, item := range c.items {
		hit := false
		for _, k := range r.Comms {
			if named(k, item) {
				chosen[k.ID], hit = true, true
			}
		}
		if !hit {
			return nil, unknownComm(r, item)
		}
	}
	return chosen, nil
}

func named(k *comms.Comm, item string) bool {
	if n, err := strconv.Atoi(item); err == nil {
		return k.ID == n
	}
	for _, name := range namesOf(k) {
		// The parts of a name are separated by slashes, which patterns may cross.
		if ok, _ := path.Match(strings.ReplaceAll(item, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00")); ok {
			return true
		}
	}
	return false
}

func namesOf(k *comms.Comm) []string {
	names := append([]string{k.Name, k.Short()}, k.Labels...)
	switch {
	case k.How == "world":
		names = append(names, mpi.CommWorld)
	case k.How == "self":
		names = append(names, mpi.CommSelf)
	}
	return names
}

func unknownComm(r *comms.Result, item string) error {
	if n, err := strconv.Atoi(item); err == nil {
		return fmt.Errorf("there is no communicator %d: the recording has 0 to %d (tabard info --comms lists them)", n,
			len(r.Comms)-1)
	}
	var names []string
	for _, k := range r.Comms {
		names = append(names, namesOf(k)...)
	}
	msg := fmt.Sprintf("there is no communicator %q", item)
	if best := suggest.Closest(item, names, 3); len(best) > 0 {
		msg += "; did you mean " + strings.Join(best, " or ") + "?"
	}
	return fmt.Errorf("%s (tabard info --comms lists them)", msg)
}
