package view_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/view"
)

// FuzzAPI: whatever is asked for, there is an answer: data, or an error in words. No request ends the server, is a
// mistake of ours, or says more than data.
func FuzzAPI(f *testing.F) {
	for _, path := range asked {
		f.Add(strings.TrimPrefix(path, "/"))
	}
	f.Add("api/tiles?level=54&x=1125899906842624&rows=64")
	f.Add("api/tiles?level=0&first=1&group=1&value=calls&order=host&function=p2p")
	f.Add("api/tiles?level=9&value=bytes_received&rank=1")
	f.Add("api/functions?rank=1")
	f.Add("api/bands?level=54&x=1125899906842624&first=2&rows=16&of=wait")
	f.Add("api/tiles?time=10%25..20%25&rank=1")
	f.Add("api/inflight?t0=4611686018427387903&t1=4611686018427387904&bins=1024&rows=1")
	f.Add("api/lanes?rank=0&t0=9223372036854775807&t1=9223372036854775807")
	f.Add("?token=00000000000000000000000000000000")
	a := archivetest.Archive(f, pair)
	s, cookie := server(f, a, a)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest("GET", "http://localhost/", nil)
		path, raw, _ := strings.Cut(query, "?")
		r.URL.Path, r.URL.RawQuery = cookie.Path+path, raw
		r.AddCookie(cookie)
		for begin := time.Now(); ; {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			switch kind := w.Header().Get("Content-Type"); {
			case w.Code == 202 && time.Since(begin) < 30*time.Second:
				continue
			case w.Code == 200 && kind == "application/json" && !json.Valid(w.Body.Bytes()),
				w.Code == 202, w.Code == 500 && strings.Contains(w.Body.String(), "mistake"),
				w.Code >= 400 && (kind != "application/json" || !json.Valid(w.Body.Bytes())):
				t.Errorf("%q: code %d, %s: %.2000s", query, w.Code, kind, w.Body)
			}
			return
		}
	})
}

// Damaged recordings give errors in words.
func TestDamaged(t *testing.T) {
	d, err := archivetest.NewDamager(1, archivetest.Bytes(t, pair))
	if err != nil {
		t.Fatal(err)
	}
	opened, failed := 0, 0
	for range 400 {
		bad, what := d.Next()
		a, err := archive.OpenReader(bytes.NewReader(bad), int64(len(bad)), archive.MaxSection(1<<20),
			archive.MaxWork(1<<20))
		if err != nil {
			continue
		}
		s, err := view.New(a)
		if err != nil {
			continue
		}
		opened++
		c := enter(t, s)
		for _, path := range []string{"/api/overview", "/api/tiles?level=12",
			"/api/tiles?level=12&value=bytes_received", "/api/lanes?rank=1", "/api/report",
			"/api/calls?rank=0", "/api/step?k=1", "/api/inflight"} {
			w := get(t, s, c, path)
			if w.Code >= 400 {
				failed++
			}
			if strings.Contains(w.Body.String(), "mistake") ||
				!json.Valid(w.Body.Bytes()) && !strings.Contains(path, "tiles") {
				t.Errorf("%s, %s: %.1000s", what, path, w.Body)
			}
		}
		s.Close()
	}
	if opened < 10 || failed < 10 {
		t.Errorf("%d of the files open, %d requests fail", opened, failed)
	}
}
