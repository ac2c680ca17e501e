package waits_test

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/waits"
)

// Rank 0 sends 100 messages in a row, of which the library has room for 80: the next send takes until rank 1, which
// comes late, receives the first one.
func TestQueue(t *testing.T) {
	var sends, recvs strings.Builder
	at := 10
	for i := range 100 {
		d := 5
		if i == 80 {
			d = 200_000
		}
		sends.WriteString(send(at, d, 1, 1, 5))
		at += d + 5
	}
	for i := range 100 {
		recvs.WriteString(recv(200_000+10*i, 5, 0, 1, 7))
	}
	r := of(t, job(sends.String(), recvs.String()), waits.Options{})
	if len(r.Queues) != 1 {
		t.Fatalf("%+v", r.Queues)
	}
	q := &r.Queues[0]
	if q.From != 0 || q.To != 1 || q.Most != 81 || q.Bytes != 4*81 || q.Sent.Site != "a.c:5 [f]" ||
		q.Received.Site != "a.c:7 [f]" || q.Blocked.Count != 1 || q.Blocked.Time != 200_000-810 {
		t.Errorf("%+v", q)
	}
	if k := r.Kinds[waits.LateReceiver]; k != q.Blocked {
		t.Errorf("late receiver %+v", k)
	}
	// The receiver keeps up: nothing lies there.
	recvs.Reset()
	for i := range 100 {
		recvs.WriteString(recv(10*i+1, 12, 0, 1, 7))
	}
	if r := of(t, job(strings.ReplaceAll(sends.String(), "+200000 ", "+5 "), recvs.String()), waits.Options{}); len(r.Queues) > 0 {
		t.Errorf("%+v", r.Queues)
	}
}

// A process that waits for whoever comes serves others: that waiting is told apart, and the part of it that goes back
// to each.
func TestServing(t *testing.T) {
	wild := strings.ReplaceAll(recv(10, 500, 1, 1, 7), "source=1, tag", "source=MPI_ANY_SOURCE, tag")
	r := of(t, job(wild+recv(600, 300, 1, 1, 8), send(400, 5, 0, 1, 5)+send(800, 5, 0, 1, 6)), waits.Options{})
	if p := &r.Processes[0]; p.Serving != 390 || p.Total() != 590 {
		t.Errorf("%+v", p)
	}
	for _, x := range r.Roots {
		if want := map[string]int{"a.c:5 [f]": 390, "a.c:6 [f]": 0}[x.Late.Site]; int(x.Serving) != want {
			t.Errorf("%+v", x)
		}
	}
}
