package cli

import (
	"errors"

	"github.com/tabard-hpc/tabard/internal/record/collect"
)

// rankList is the value of --ranks and of --rank, e.g. "0,4-7,8-63:8,100-".
type rankList struct {
	text string
	has  func(rank int) bool
}

// Set parses a list.
func (l *rankList) Set(s string) error {
	has, err := collect.ParseRanks(s)
	if err != nil {
		return err
	}
	if has == nil {
		return errors.New("the list is empty")
	}
	l.text, l.has = s, has
	return nil
}

// String returns the list as given.
func (l *rankList) String() string { return l.text }

// Type is what help prints as the flag's argument.
func (l *rankList) Type() string { return "LIST" }

// Contains reports whether the list has n; one that was not given has all.
func (l *rankList) Contains(n int) bool { return l.has == nil || l.has(n) }
