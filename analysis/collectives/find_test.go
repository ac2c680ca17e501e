package collectives

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// schedule is a random order of messages that realises a broadcast among n processes: who has the data sends it to
// one who has not, through buffers of its own.
type schedule struct {
	r        *rand.Rand
	n        int
	calls    []uint64
	messages []Message
}

func (s *schedule) send(from, to int32, hash uint64, bytes int64) {
	s.calls[from]++
	sent := s.calls[from]
	s.calls[to]++
	s.messages = append(
		s.messages,
		Message{From: from, To: to, Sent: sent, Received: s.calls[to], Bytes: bytes, Hash: hash,
			Known: true, Source: Place{int64(from) + 1, 0}, Target: Place{int64(to) + 1, 0}, Count: 1},
	)
}

func (s *schedule) broadcast(root int32, hash uint64) {
	has, lacks := []int32{root}, []int32{}
	for p := range s.n {
		if int32(p) != root {
			lacks = append(lacks, int32(p))
		}
	}
	s.r.Shuffle(len(lacks), func(i, j int) { lacks[i], lacks[j] = lacks[j], lacks[i] })
	for _, to := range lacks {
		if s.r.IntN(3) == 0 { // noise
			a, b := int32(s.r.IntN(s.n)), int32(s.r.IntN(s.n))
			if a != b {
				s.send(a, b, s.r.Uint64(), 64)
			}
		}
		s.send(has[s.r.IntN(len(has))], to, hash, 512)
		has = append(has, to)
	}
}

func randomSchedule(seed uint64) (*schedule, int32) {
	r := rand.New(rand.NewPCG(seed, 7))
	s := &schedule{r: r, n: 4 + r.IntN(14)}
	s.calls = make([]uint64, s.n)
	root := int32(r.IntN(s.n))
	s.broadcast(root, r.Uint64()|1)
	return s, root
}

func findIn(s *schedule) []Finding { return Find(s.messages, map[int32]int{0: s.n}) }

// TestAnySchedule: whatever the schedule, a broadcast is found, with its root.
func TestAnySchedule(t *testing.T) {
	for seed := range uint64(500) {
		s, root := randomSchedule(seed)
		found := findIn(s)
		if len(found) == 0 || found[0].Operation != "broadcast" || found[0].Grade != Proven ||
			found[0].Instances != 1 ||
			len(found[0].Sets) != 1 || len(found[0].Sets[0]) != s.n ||
			fmt.Sprint(found[0].Roots) != fmt.Sprint([]int32{root}) {
			t.Fatalf("seed %d, %d processes, root %d: %+v", seed, s.n, root, found)
		}
	}
}

// TestOneMissing: without one of the last messages, or with other data in it, it is a near miss that names the process.
func TestOneMissing(t *testing.T) {
	for seed := range uint64(500) {
		s, _ := randomSchedule(seed)
		last := s.messages[len(s.messages)-1] // nobody has its data from it
		if seed%2 == 0 {
			s.messages = s.messages[:len(s.messages)-1]
		} else {
			s.messages[len(s.messages)-1].Hash++
		}
		found := findIn(s)
		if len(found) == 0 || found[0].Grade != NearMiss || len(found[0].Missing) != 1 ||
			!strings.HasPrefix(found[0].Missing[0], fmt.Sprintf("rank %d ", last.To)) {
			t.Fatalf("seed %d, %d processes, without %d -> %d: %+v", seed, s.n, last.From, last.To, found)
		}
	}
}

// TestRedundant: a process that gets the data twice speaks against a replacement, and does not hide the broadcast.
func TestRedundant(t *testing.T) {
	s := &schedule{r: rand.New(rand.NewPCG(1, 1)), n: 6, calls: make([]uint64, 6)}
	s.broadcast(0, 77)
	s.send(s.messages[len(s.messages)-1].From, s.messages[len(s.messages)-1].To, 77, 512)
	for i := len(s.messages) - 2; i >= 0; i-- { // once more, from another one
		if from, to := s.messages[i].To, s.messages[len(s.messages)-1].To; from != to {
			s.messages = s.messages[:len(s.messages)-1]
			s.send(from, to, 77, 512)
			break
		}
	}
	found := findIn(s)
	if found[0].Grade != Proven || len(found[0].Against) == 0 {
		t.Fatalf("%+v", found[0])
	}
}

// TestNoise: random messages are no collective.
func TestNoise(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		s := &schedule{r: r, n: 5 + r.IntN(5)}
		s.calls = make([]uint64, s.n)
		for range 60 {
			a, b := int32(r.IntN(s.n)), int32(r.IntN(s.n))
			if a != b {
				s.send(a, b, r.Uint64(), int64(16+8*r.IntN(4)))
			}
		}
		if found := findIn(s); len(found) > 0 {
			t.Fatalf("seed %d: %+v", seed, found)
		}
	}
}
