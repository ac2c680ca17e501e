package view_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/view"
)

// A page by itself holds the answers, loads nothing, and admits no script but its own.
func TestHTML(t *testing.T) {
	s, _ := server(t, archivetest.Archive(t, strings.Replace(pair, "&evil", "&evil\u009b\u202e", 1)))
	var b bytes.Buffer
	if err := s.WriteHTML(&b, nil); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.ContainsAny(text, "\u009b\u202e") || !strings.Contains(text, `evil\u009b\u202e`) {
		t.Error("a terminal that shows the page obeys what is in it, or it is not there")
	}
	if !strings.HasPrefix(text, view.Mark) || b.Len() > view.MaxHTML {
		t.Errorf("%d bytes: %.100s", b.Len(), text)
	}
	if regexp.MustCompile(`(?i)<(script|img|link|iframe)[^>]*(src|href)=`).MatchString(text) {
		t.Errorf("it loads something")
	}
	found := regexp.MustCompile(
		`(?s)<script type="application/json" id="tabard-data">([^<]*)</script>\n<script>(.*)</script>\n</body>`,
	).
		FindStringSubmatch(
			text,
		)
	if found == nil {
		t.Fatalf("%.500s", text)
	}
	var data struct {
		Answers map[string]json.RawMessage
		LeftOut []string `json:"left_out"`
	}
	if err := json.Unmarshal([]byte(found[1]), &data); err != nil || len(data.LeftOut) > 0 || len(data.Answers) != 17 {
		t.Errorf("%v, %d answers, left out %v", err, len(data.Answers), data.LeftOut)
	}
	for key, v := range data.Answers {
		if bytes.HasPrefix(v, []byte(`{"error"`)) {
			t.Errorf("%s: %s", key, v)
		}
	}
	hash := sha256.Sum256([]byte(found[2]))
	policy := html.UnescapeString(
		regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1],
	)
	if !strings.Contains(policy, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'") ||
		strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("policy %s", policy)
	}
}

// Without times there are tables all the same.
func TestHTMLUntimed(t *testing.T) {
	s, _ := server(t, archivetest.Archive(t, "abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Init()\nMPI_Finalize()\n"))
	var b bytes.Buffer
	if err := s.WriteHTML(&b, nil); err != nil || !strings.Contains(b.String(), `"/api/waits":{"error":`) {
		t.Errorf("%v: %s", err, b.String())
	}
}
