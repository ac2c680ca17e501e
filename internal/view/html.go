package view

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// Mark begins the files that WriteHTML writes.
const Mark = "<!-- A recording as Tabard shows it -->\n"

// MaxHTML is how long such a file is at most, in bytes.
const MaxHTML = 5 << 20

// inlined are the questions whose answers are in such a file, the most important first; then come the tiles of the
// whole run.
var inlined = []string{"/api/overview", "/api/report", "/api/profile?by=site", "/api/steps", "/api/waits",
	"/api/profile?by=function", "/api/messages", "/api/outliers", "/api/loops", "/api/matrix?bins=64&kind=p2p",
	"/api/histogram", "/api/lines?count=4096&first=0", "/api/comms", "/api/profile?by=comm", "/api/profile?by=rank",
	"/api/inflight"}

// attachment is the data in such a file.
type attachment struct {
	Answers map[string]any `json:"answers"`
	// LeftOut are the questions whose answers are too long.
	LeftOut []string `json:"left_out"`
}

// WriteHTML writes a page that needs no server: overview and tables of the first recording. What would make it longer
// than MaxHTML is left out, and the page says so.
func (s *Server) WriteHTML(w io.Writer, meter report.Meter) error {
	var files [3][]byte
	for i, name := range []string{"index.html", "app.css", "app.js"} {
		var err error
		if files[i], err = bundle.ReadFile("ui/dist/" + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	data := attachment{Answers: map[string]any{}, LeftOut: []string{}}
	room := MaxHTML - len(files[0]) - len(files[1]) - len(files[2]) - 1<<14
	put := func(key string, v any) error {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if room -= len(key) + len(b) + 8; room < 0 {
			room += len(key) + len(b) + 8
			data.LeftOut = append(data.LeftOut, key)
			return nil
		}
		data.Answers[key] = json.RawMessage(b)
		return nil
	}
	tiles, err := s.firstTiles()
	if err != nil {
		return err
	}
	for key, b := range tiles {
		if err := put(key, b); err != nil {
			return err
		}
	}
	for _, key := range inlined {
		v, err := s.own(key, meter)
		if r := (*refusal)(nil); errors.As(err, &r) && r.code == http.StatusConflict {
			v, err = api.Error{Error: r.text}, nil // the recording does not have it
		}
		if err == nil {
			err = put(key, v)
		}
		if err != nil {
			return err
		}
	}
	var text bytes.Buffer
	clean := render.NewJSONCleaner(&text) // the page may be shown by a terminal
	if err := errors.Join(json.NewEncoder(clean).Encode(&data), clean.Flush()); err != nil {
		return err
	}
	return assemble(w, files, text.Bytes())
}

// own answers a question of this package.
func (s *Server) own(key string, meter report.Meter) (any, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(key, "/api/"), "?")
	args, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	return s.mux[path].work(&question{s: s, rec: s.recordings[0], args: args, meter: meter, ctx: context.Background()})
}

// firstTiles are the tiles of the whole run, all of it read.
func (s *Server) firstTiles() (map[string][]byte, error) {
	r := s.recordings[0]
	timed, length, err := r.times()
	if err != nil || !timed {
		return nil, err
	}
	found := map[string][]byte{}
	g := r.grid(length)
	for _, key := range g.First {
		t, err := r.tiler(selection.Flags{}, g.Orders[0], false)
		if err != nil {
			return nil, err
		}
		x := wholeTile(g, time.Time{})
		if err := t.Fill(x); err != nil {
			return nil, err
		}
		if found[key], err = packed(r.calls, t, x, "time"); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// assemble puts a page together. Its policy admits the script and the style that are in it, by their hashes, and that
// nothing is loaded.
func assemble(w io.Writer, files [3][]byte, data []byte) error {
	page, style, script := files[0], files[1], files[2]
	// No text of a script or a style ends its element before its end.
	script = bytes.ReplaceAll(script, []byte("</script"), []byte(`<\/script`))
	if bytes.Contains(bytes.ToLower(style), []byte("</style")) || bytes.Contains(data, []byte("<")) {
		return errors.New("this is a mistake in tabard, please report it: the page cannot be put together")
	}
	hash := func(b []byte) string {
		h := sha256.Sum256(b)
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	policy := fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data: blob:; base-uri 'none'; "+
		"form-action 'none'", hash(script), hash(style))
	before, rest, ok := bytes.Cut(page, []byte("<head>"))
	if !ok {
		return errors.New("this is a mistake in tabard, please report it: the page has no head")
	}
	drop := func(tag string) {
		rest = bytes.Replace(rest, []byte(tag), nil, 1)
	}
	drop(`<link rel="stylesheet" href="app.css">`)
	drop(`<script src="app.js" defer></script>`)
	drop(`<link rel="icon" href="favicon.svg">`)
	body, after, ok := cutLast(rest, []byte("</body>"))
	if !ok {
		return errors.New("this is a mistake in tabard, please report it: the page has no body")
	}
	parts := slices.Concat([]byte(Mark), before,
		[]byte("<head>\n<meta http-equiv=\"Content-Security-Policy\" content=\""+
			html.EscapeString(policy)+"\">\n<style>"), style, []byte("</style>"), body,
		[]byte("\n<script type=\"application/json\" id=\"tabard-data\">"), data, []byte("</script>\n<script>"), script,
		[]byte("</script>\n</body>"), after)
	_, err := w.Write(parts)
	return err
}

func cutLast(s, sep []byte) (before, after []byte, found bool) {
	i := bytes.LastIndex(s, sep)
	if i < 0 {
		return s, nil, false
	}
	return s[:i], s[i+len(sep):], true
}
