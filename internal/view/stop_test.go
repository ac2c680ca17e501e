package view

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/view/api"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// endless makes a server with a question whose answer takes for ever, on several goroutines, and says when it is begun
// and when it has ended.
func endless(t *testing.T) (s *Server, begun, ended chan string) {
	t.Helper()
	s, err := New(archivetest.Archive(t, "rank 0 of 1 on n\n0+10 MPI_Init()\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	begun, ended = make(chan string, 9), make(chan string, 9)
	s.mux["endless"] = endpoint{takes: []string{"n"}, queue: long, work: func(q *question) (any, error) {
		n := q.args.Get("n")
		begun <- n
		defer func() { ended <- n }()
		p := q.meter("counting", "numbers", 0)
		return nil, workers.Each(2, func(int) error {
			for i := uint64(0); ; i++ {
				p.Show(i, 0)
			}
		})
	}}
	s.answers[long].atATime = 1
	s.answers[long].forgotten, s.answers[long].abandoned = 500*time.Millisecond, time.Hour
	return s, begun, ended
}

// ask asks a server for an answer until a context is done.
func ask(ctx context.Context, s *Server, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, "GET", "http://localhost"+s.place+"api/"+path, nil)
	r.AddCookie(&http.Cookie{Name: s.cookie, Value: s.session})
	s.ServeHTTP(w, r)
	return w
}

// left asks, and goes away once the answer has been begun.
func left(t *testing.T, s *Server, begun chan string, path string) {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	go func() {
		wait(t, begun)
		leave()
	}()
	ask(ctx, s, path)
}

func wait(t *testing.T, told chan string) string {
	t.Helper()
	select {
	case n := <-told:
		return n
	case <-time.After(time.Minute):
		t.Error("nothing for a minute")
		return ""
	}
}

// What nobody waits for ends: when whoever asked has gone, after some time without a question, for what somebody else
// asks, and with the server. Whoever asks again gets an answer that is begun again.
func TestStop(t *testing.T) {
	s, begun, ended := endless(t)
	for range 2 {
		left(t, s, begun, "endless?n=gone")
		if n := wait(t, ended); n != "gone" {
			t.Errorf("%q ended", n)
		}
	}
	pending := func(n string) {
		t.Helper()
		var p api.Pending
		w := ask(context.Background(), s, "endless?n="+n)
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusAccepted || !p.Pending {
			t.Errorf("%s: code %d: %s", n, w.Code, w.Body)
		}
	}
	pending("first") // a second: longer than it is remembered, but nobody waits for its place
	wait(t, begun)
	select {
	case n := <-ended:
		t.Errorf("%q ended", n)
	case <-time.After(100 * time.Millisecond):
	}
	go ask(context.Background(), s, "endless?n=second")
	if n := wait(t, ended); n != "first" {
		t.Errorf("%q ended", n)
	}
	if n := wait(t, begun); n != "second" {
		t.Errorf("%q is begun", n)
	}
	s.Close()
	if n := wait(t, ended); n != "second" {
		t.Errorf("%q ended", n)
	}
}

// A page that has gone between two questions is noticed in the end.
func TestAbandoned(t *testing.T) {
	s, begun, ended := endless(t)
	s.answers[long].abandoned = 100 * time.Millisecond
	go ask(context.Background(), s, "endless?n=1")
	wait(t, begun)
	wait(t, ended)
}

// Whatever is worked out in a queue ends once nobody waits for it, and is worked out anew for whoever asks again.
func TestAllStop(t *testing.T) {
	const ranks = `rank 0 of 2 on n
0+10 MPI_Init()
20+10 MPI_Send(count=4, datatype=MPI_INT, dest=1, tag=0, comm=MPI_COMM_WORLD)
40+5 MPI_Finalize()
rank 1 of 2 on n
0+10 MPI_Init()
20+10 MPI_Recv(count=4, datatype=MPI_INT, source=0, tag=0, comm=MPI_COMM_WORLD)
40+5 MPI_Finalize()
`
	s, err := New(archivetest.Archive(t, ranks), archivetest.Archive(t, ranks))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	queries := map[string]string{"search": "?q=send", "lanes": "", "step": "", "code": "", "functions": ""}
	for name, e := range s.mux {
		if query, special := queries[name]; e.queue == atOnce || special && query == "" {
			continue // of one thread, or not in this recording
		}
		q, err := s.ask(httptest.NewRequest("GET", "http://localhost/api/"+name+queries[name], nil), &e)
		if err != nil {
			t.Fatal(err)
		}
		gone, stop := context.WithCancel(t.Context())
		stop()
		for _, ctx := range []context.Context{gone, t.Context()} {
			task := &task{q: q}
			q.ctx, q.meter = ctx, task.meter
			if _, err := guarded(func() (any, error) { return e.work(q) }); err != nil != (ctx == gone) ||
				err != nil && err != errStopped {
				t.Errorf("%s: gone is %t: %v", name, ctx == gone, err)
			}
		}
	}
}
