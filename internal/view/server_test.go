package view_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/view"
)

// pair is two ranks, of which one waits for the other in each of 20 steps. Its strings are hostile.
const pair = `abi mpich
command </script><script>alert(1)</script> &evil
rank 0 of 2 on <img/src=x/onerror=alert(1)>
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init()
loop 20
  MPI_Send(buf=heap#0, count=3, datatype=MPI_INT, dest=1, tag=2, comm=MPI_COMM_WORLD) @ </script>.c:7 [<b>main]
  MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:8 [main]
end
9000+1000 MPI_Finalize()
rank 1 of 2 on n
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init()
loop 20
  MPI_Recv(buf=heap#0, count=3, datatype=MPI_INT, source=0, tag=2, comm=MPI_COMM_WORLD) @ a.c:9 [main] ; status=?{source=0 tag=2 bytes=12}
  MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:10 [main]
end
9000+1000 MPI_Finalize()
`

// server makes a server of recordings, and what knows its cookie.
func server(t testing.TB, archives ...*archive.Archive) (*view.Server, *http.Cookie) {
	t.Helper()
	s, err := view.New(archives...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, enter(t, s)
}

// enter turns the token into the cookie.
func enter(t testing.TB, s *view.Server) *http.Cookie {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://localhost/?token="+s.Token(), nil)
	s.ServeHTTP(w, r)
	cookies := w.Result().Cookies()
	if w.Code != 200 || len(cookies) != 1 {
		t.Fatalf("code %d, %d cookies", w.Code, len(cookies))
	}
	return cookies[0]
}

// get asks until the answer is there.
func get(t testing.TB, s *view.Server, c *http.Cookie, path string) *httptest.ResponseRecorder {
	t.Helper()
	for begin := time.Now(); ; {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://localhost"+c.Path+path[1:], nil)
		r.AddCookie(c)
		s.ServeHTTP(w, r)
		if w.Code != http.StatusAccepted || time.Since(begin) > time.Minute {
			return w
		}
	}
}

// attack is a request that must be refused, or whose answer must be harmless.
type attack struct {
	name, method, host, path string
	cookie                   string // "" is the right one, "-" none
	header                   map[string]string
	code                     int
}

func TestRefused(t *testing.T) {
	s, cookie := server(t, archivetest.Archive(t, pair))
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || len(cookie.Value) != 32 ||
		cookie.Value == s.Token() || len(cookie.Path) != 34 || strings.Contains(cookie.Path, cookie.Value) {
		t.Errorf("cookie %+v", cookie)
	}
	other := strings.Repeat("0", 32)
	for _, a := range []attack{
		{"right", "GET", "localhost:80", "/", "", nil, 200},
		{"right", "GET", "127.0.0.1:8090", "/api/info", "", nil, 200},
		{"right", "GET", "[::1]:8090", "/api/info", "", map[string]string{"Origin": "http://[::1]:8090"}, 200},
		{"no token", "GET", "localhost", "/", "-", nil, 401},
		{"no token", "GET", "localhost", "/api/info", "-", nil, 401},
		{"wrong token", "GET", "localhost", "/?token=" + other, "-", nil, 401},
		{"short token", "GET", "localhost", "/?token=" + s.Token()[:31], "-", nil, 401},
		{"long token", "GET", "localhost", "/?token=" + s.Token() + "0", "-", nil, 401},
		{"upper token", "GET", "localhost", "/?token=" + strings.ToUpper(s.Token()) + "Z", "-", nil, 401},
		{"empty token", "GET", "localhost", "/?token=", "-", nil, 401},
		{"token elsewhere", "GET", "localhost", "/api/info?token=" + s.Token(), "-", nil, 401},
		{"wrong cookie", "GET", "localhost", "/api/info", other, nil, 401},
		{"empty cookie", "GET", "localhost", "/api/info", " ", nil, 401},
		{"foreign host", "GET", "evil.example", "/", "", nil, 403},
		{"foreign host", "GET", "evil.example:80", "/?token=" + s.Token(), "", nil, 403},
		{"foreign host", "GET", "localhost.evil.example", "/", "", nil, 403},
		{"foreign host", "GET", "127.0.0.1.evil.example", "/", "", nil, 403},
		{"foreign host", "GET", "192.168.1.1", "/", "", nil, 403},
		{"foreign host", "GET", "0.0.0.0", "/", "", nil, 403},
		{"no host", "GET", "", "/", "", nil, 403},
		{"foreign origin", "GET", "localhost", "/api/info", "", map[string]string{"Origin": "http://evil.example"},
			403},
		{"foreign origin", "GET", "localhost:1", "/api/info", "", map[string]string{"Origin": "http://localhost:2"},
			403},
		{"null origin", "GET", "localhost", "/api/info", "", map[string]string{"Origin": "null"}, 403},
		{"https origin", "GET", "localhost", "/api/info", "", map[string]string{"Origin": "https://localhost"}, 403},
		{"cross site", "GET", "localhost", "/api/info", "", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"post", "POST", "localhost", "/api/info", "", nil, 405},
		{"head", "HEAD", "localhost", "/api/info", "", nil, 405},
		{"options", "OPTIONS", "localhost", "/api/info", "", map[string]string{"Origin": "http://evil.example",
			"Access-Control-Request-Method": "GET"}, 405},
		{"put", "PUT", "localhost", "/", "", nil, 405},
		{"path", "GET", "localhost", "/../server.go", "", nil, 404},
		{"path", "GET", "localhost", "/ui/dist/index.html", "", nil, 404},
		{"path", "GET", "localhost", "/index.html", "", nil, 404},
		{"path", "GET", "localhost", "//", "", nil, 404},
		{"path", "GET", "localhost", "/api/../api/info", "", nil, 404},
		{"path", "GET", "localhost", "/api/%2e%2e/info", "", nil, 404},
		{"path", "GET", "localhost", "/api/", "", nil, 404},
		{"path", "GET", "localhost", "/api/info/", "", nil, 404},
		{"path", "GET", "localhost", "/etc/passwd", "", nil, 404},
		{"path", "GET", "localhost", "/api/..%2f..%2fetc%2fpasswd", "", nil, 404},
		{"parameter", "GET", "localhost", "/api/info?file=/etc/passwd", "", nil, 400},
		{"parameter", "GET", "localhost", "/api/info?rec=1", "", nil, 400},
		{"parameter", "GET", "localhost", "/api/info?rec=-1", "", nil, 400},
		{"parameter", "GET", "localhost", "/api/info?rec=0&rec=0", "", nil, 400},
		{"parameter", "GET", "localhost", "/api/info?rec=0;x", "", nil, 400},
		{"parameter", "GET", "localhost", "/api/report?time=x", "", nil, 400},
		{"parameter", "GET", "localhost", "/api/report?rank=" + strings.Repeat("1,", 1<<14), "", nil, 414},
		{"parameter", "GET", "localhost", "/api/calls?limit=1000000", "", nil, 400},
		{"parameter", "GET", "localhost", "/api/calls?from=18446744073709551615", "", nil, 400},
		{"parameter", "GET", "localhost", "/api/calls?rank=7", "", nil, 404},
		{"parameter", "GET", "localhost", "/api/matrix?bins=100000", "", nil, 400},
		{"one recording", "GET", "localhost", "/api/diff", "", nil, 409},
	} {
		r := httptest.NewRequest(a.method, "http://localhost/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(a.path, "?")
		if !strings.HasPrefix(a.path, "/?token=") {
			r.URL.Path = cookie.Path + r.URL.Path[1:]
		}
		r.Host = a.host
		if a.cookie == "" {
			r.AddCookie(cookie)
		} else if a.cookie != "-" {
			r.AddCookie(&http.Cookie{Name: cookie.Name, Value: strings.TrimSpace(a.cookie)})
		}
		for k, v := range a.header {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != a.code {
			t.Errorf("%s: %s %s at %q: code %d, want %d: %.200s", a.name, a.method, a.path, a.host, w.Code, a.code,
				w.Body)
		}
		h := w.Header()
		for name := range h {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: a header %s", a.name, name)
			}
		}
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", a.name, h)
		}
		if a.code >= 400 && a.method != "HEAD" {
			var why struct{ Error string }
			if err := json.Unmarshal(w.Body.Bytes(), &why); err != nil || why.Error == "" {
				t.Errorf("%s: %s", a.name, w.Body)
			}
			if strings.Contains(w.Body.String(), s.Token()) || h.Get("Set-Cookie") != "" {
				t.Errorf("%s: the answer tells the token", a.name)
			}
		}
	}
}

// Browsers send cookies to all servers of a machine, whatever their ports are, if the path is that of the cookie: who
// has it without knowing the path gets nothing.
func TestStolenCookie(t *testing.T) {
	s, cookie := server(t, archivetest.Archive(t, pair))
	for _, path := range []string{"/", "/api/info", "/?token=" + cookie.Value, "/" + cookie.Value + "/api/info"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://localhost"+path, nil)
		r.AddCookie(cookie)
		s.ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), cookie.Path) {
			t.Errorf("%s: code %d: %s", path, w.Code, w.Body)
		}
	}
}

// Two servers have other tokens, and cookies of other names: both may be open in one browser.
func TestTokens(t *testing.T) {
	a := archivetest.Archive(t, pair)
	_, x := server(t, a)
	_, y := server(t, a)
	if x.Name == y.Name || x.Value == y.Value || x.Path == y.Path ||
		strings.Contains(x.Value, strings.TrimPrefix(x.Name, "tabard-")) {
		t.Errorf("%s and %s", x, y)
	}
}

// asked are questions that make every analysis answer.
var asked = []string{"/api/overview", "/api/info", "/api/report", "/api/loops", "/api/waits", "/api/matrix",
	"/api/matrix?kind=all&bins=2&value=messages", "/api/profile", "/api/profile?by=function%2Crank&quantiles=1",
	"/api/histogram", "/api/messages", "/api/outliers", "/api/comms", "/api/diff", "/api/calls?rank=1&limit=5",
	"/api/lines", "/api/lanes?rank=1", "/api/lanes?rank=0&t0=500&t1=700", "/api/steps", "/api/step?k=3", "/api/arrows",
	"/api/arrows?t0=100&t1=900&max=2", "/api/search?q=send", "/api/search?q=count%3D3", "/api/search?q=rank+1",
	"/api/code", "/api/code?times=20&call=MPI_Send", "/api/command?panel=waits&rank=0&kind=late-sender",
	"/api/report?steps=3-5", "/api/waits?kind=late-sender", "/api/profile?function=p2p&rank=0",
	"/api/inflight", "/api/classes", "/api/inflight?rank=1&bins=7&rows=1&t0=100&t1=900"}

// Strings of a recording are data: no answer can be taken for a part of a page.
func TestHostileStrings(t *testing.T) {
	a := archivetest.Archive(t, pair)
	s, cookie := server(t, a, a)
	for _, path := range asked {
		w := get(t, s, cookie, path)
		body := w.Body.String()
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/") {
			t.Errorf("%s: code %d, %s: %s", path, w.Code, w.Header().Get("Content-Type"), body)
			continue
		}
		if strings.ContainsAny(body, "<>&\x1b\x07") || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %s", path, body)
		}
	}
	if w := get(t, s, cookie, "/api/overview"); !strings.Contains(w.Body.String(), `\u003cscript\u003ealert(1)`) {
		t.Errorf("the command is not there: %s", w.Body)
	}
}

// The page is sent, with its type.
func TestPage(t *testing.T) {
	s, cookie := server(t, archivetest.Archive(t, pair))
	w := get(t, s, cookie, "/")
	text, _ := io.ReadAll(w.Body)
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
		!strings.Contains(string(text), `<script src="app.js" defer></script>`) {
		t.Errorf("code %d: %s", w.Code, text)
	}
}
