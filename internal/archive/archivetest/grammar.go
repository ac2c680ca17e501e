package archivetest

import (
	"bytes"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
)

// OfGrammar is the bytes of an archive of processes that all have the calls of a grammar, n each: of more calls than
// can be made one by one. Its terminals are the calls, whose parameters have no columns.
func OfGrammar(t testing.TB, processes int, grammar string, n uint64, calls ...string) []byte {
	t.Helper()
	g, err := archive.ParseGrammarText(grammar)
	if err != nil {
		t.Fatal(err)
	}
	stream := archive.StreamData{Calls: n, Columns: make([][][]byte, len(calls)), Grammar: g}
	for _, text := range calls {
		s, err := archive.ParseSignatureText(text)
		if err != nil {
			t.Fatal(err)
		}
		stream.Signatures = append(stream.Signatures, s)
	}
	b := merge.New()
	for i := range processes {
		if err := b.Add(archive.RankData{Rank: i, Size: processes}, []archive.StreamData{stream}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
