package match_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/testkit/plainmatch"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
	"github.com/tabard-hpc/tabard/spec"
)

// makeJob makes the archive of all ranks of a synthetic job, and says what they did.
func makeJob(t testing.TB, name string, params synthetic.Params) (*archive.Archive, []*synthetic.Log) {
	t.Helper()
	j, err := synthetic.NewJob(synthetic.ByName(name), params)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p := merge.New()
	p.SetMeta(j.Meta())
	var logs []*synthetic.Log
	for rank := range params.Ranks {
		log := &synthetic.Log{}
		d, streams, _, err := j.Rank(rank, log)
		if err == nil {
			err = p.Add(d, streams)
		}
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, log)
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		t.Fatal(err)
	}
	return archivetest.Open(t, buf.Bytes()), logs
}

// TestSynthetic compares with the reference and with what the programs noted themselves.
func TestSynthetic(t *testing.T) {
	for _, p := range synthetic.Programs() {
		for _, params := range []synthetic.Params{
			{Ranks: 4, Steps: 23, Seed: 5, ABI: spec.OpenMPI},
			{Ranks: 9, Steps: 25, Seed: 1, Timing: true},
			{Ranks: 16, Steps: 12, Seed: 2},
		} {
			t.Run(fmt.Sprintf("%s/%d", p.Name, params.Ranks), func(t *testing.T) {
				a, logs := makeJob(t, p.Name, params)
				sum, err := plainmatch.Compare(a)
				if err != nil {
					t.Fatal(err)
				}
				sends, bytes := uint64(0), uint64(0)
				for _, l := range logs {
					for _, m := range l.Sends {
						sends++
						bytes += uint64(m.Bytes)
					}
				}
				if sum.Messages != sends || sum.Bytes != bytes ||
					sum.UnmatchedSends+sum.UnmatchedRecvs+sum.Guessed+sum.Incomplete+sum.Mixed != 0 {
					t.Errorf("%+v, but %d messages of %d bytes were sent", *sum, sends, bytes)
				}
			})
		}
	}
}

// TestReferenceOnSmallPrograms checks the reference with what is known by hand.
func TestReferenceOnSmallPrograms(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := plainmatch.Compare(archivetest.Archive(t, c.program)); err != nil {
				t.Error(err)
			}
		})
	}
}
