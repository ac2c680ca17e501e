package view

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

//go:embed ui/dist
var bundle embed.FS

// page is the files of the page, by name, with their types. The first one has none.
var page = map[string]string{
	"": "text/html; charset=utf-8", "app.js": "text/javascript; charset=utf-8",
	"app.css": "text/css; charset=utf-8", "favicon.svg": "image/svg+xml",
}

// policy lets the page load what comes from this server and nothing else, and run no script that is in the document.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; font-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// Server answers the requests of the page. It is an http.Handler.
type Server struct {
	recordings []*recording
	answers    [numQueues]*answers
	token      string // 128 bits in hexadecimal
	cookie     string // its name
	session    string // its value, 128 bits
	place      string // the path where all is, 128 bits
	mux        map[string]endpoint
	burden     burden             // of an analysis of all recordings
	asked      atomic.Int64       // when the last request came, in Unix nanoseconds
	stop       context.CancelFunc // ends the answers that are worked out
}

// New makes a server of one recording, or of two that are compared. They must stay open.
func New(archives ...*archive.Archive) (*Server, error) {
	secret := func() string {
		var b [16]byte
		rand.Read(b[:]) // never fails
		return hex.EncodeToString(b[:])
	}
	// Cookies do not know ports: a browser would send one to each server of this machine, to those of other users, too,
	// but for its path, which nobody can guess.
	s := &Server{token: secret(), session: secret(), place: "/" + secret() + "/", cookie: "tabard-" + secret()[:8]}
	for i, a := range archives {
		r, err := newRecording(i, a)
		if err != nil {
			return nil, err
		}
		s.recordings = append(s.recordings, r)
		s.burden.add(r.calls)
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	for i := range s.answers {
		s.answers[i] = newAnswers(ctx, s.burden)
	}
	s.mux = endpoints()
	s.asked.Store(time.Now().UnixNano())
	return s, nil
}

// Close ends what is read in the background, and the analyses: these as soon as they tell how far they are.
func (s *Server) Close() {
	s.stop()
	for _, r := range s.recordings {
		r.closed.Store(true)
	}
	for _, r := range s.recordings {
		r.background.Wait()
	}
}

// Token is what whoever opens the page must know.
func (s *Server) Token() string { return s.token }

// Idle is how long no request has come.
func (s *Server) Idle() time.Duration { return time.Duration(time.Now().UnixNano() - s.asked.Load()) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if code, why := s.refused(r); code != 0 {
		refuse(w, code, why)
		return
	}
	if token := r.URL.Query().Get("token"); r.URL.Path == "/" && token != "" {
		s.admit(w, token)
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, s.place)
	if c, err := r.Cookie(s.cookie); err != nil || !same(c.Value, s.session) || !ok {
		refuse(w, http.StatusUnauthorized, "open the address that tabard view printed: it has a token")
		return
	}
	s.asked.Store(time.Now().UnixNano())
	if kind, ok := page[path]; ok {
		s.file(w, path, kind)
		return
	}
	name, ok := strings.CutPrefix(path, "api/")
	if e, known := s.mux[name]; ok && known {
		s.answer(w, r, name, e)
		return
	}
	refuse(w, http.StatusNotFound, "there is no such page")
}

// refused says why a request is not even looked at; code is 0 if it is. Names of this machine alone are admitted as
// the host: other names lead here only if somebody else's domain name server says so. A browser names the origin of
// requests that other pages make.
func (s *Server) refused(r *http.Request) (code int, why string) {
	if r.Method != http.MethodGet {
		return http.StatusMethodNotAllowed, "only GET is answered"
	}
	if !local(r.Host) {
		return http.StatusForbidden, "this server is localhost only"
	}
	if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host {
		return http.StatusForbidden, "requests of other pages are not answered"
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && r.URL.Path != "/" {
		return http.StatusForbidden, "requests of other pages are not answered"
	}
	return 0, ""
}

// local tells whether a host, with or without a port, is a name of this machine. The port is any: with ssh -L it is
// that of the other end.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	switch strings.ToLower(strings.Trim(host, "[]")) {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return false
}

// same tells whether a text is a secret. Its time does not depend on where they differ.
func same(text, secret string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(secret)) == 1
}

// admitted leads to the page. A redirect would not do: if a link of another page led here, the browser would not send
// the cookie.
const admitted = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%[1]s">
<title>tabard view</title><a href="%[1]s">tabard view</a></html>
`

// admit turns the token of an address into a cookie, so that the page's address does not have it.
func (s *Server) admit(w http.ResponseWriter, token string) {
	if !same(token, s.token) {
		refuse(w, http.StatusUnauthorized, "this token is wrong: open the address that tabard view printed last")
		return
	}
	s.asked.Store(time.Now().UnixNano())
	http.SetCookie(w, &http.Cookie{Name: s.cookie, Value: s.session, Path: s.place, HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", page[""])
	fmt.Fprintf(w, admitted, s.place)
}

// file sends a file of the page.
func (s *Server) file(w http.ResponseWriter, name, kind string) {
	if name == "" {
		name = "index.html"
	}
	text, err := bundle.ReadFile("ui/dist/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		refuse(w, http.StatusNotFound, "there is no such page")
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Write(text) // whoever went away needs no answer
}

// refuse says in JSON why there is no answer.
func refuse(w http.ResponseWriter, code int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(api.Error{Error: why})
}
