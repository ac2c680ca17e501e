// Package docpage reads pages of the documentation as tests need them: the commands that a page
// shows, with what they are said to print, the links, and what links can lead to.
//
// A fenced block of the language "console" is a session in a terminal:
//
//	```console
//	$ tabard info app.tabard
//	command    ./app
//	...
//	```
//
// All its commands are run, by bash, in one folder for the page. A command without lines below it
// may print anything. Comments of HTML, which readers do not see, say more of the block below them:
//
//	<!-- setup                  commands that are run before
//	cp $REPO/docs/tutorial/halo.c .
//	-->
//	<!-- fails -->              the last command of the block fails
//	<!-- not run: no GPU -->    the block is not run, and why
package docpage

import (
	"os"
	"regexp"
	"strings"
)

// A Page is one file of the documentation.
type Page struct {
	Steps   []Step
	Links   []Link
	Anchors map[string]bool // what `#anchor` leads to: headings
	// Code is the text of all blocks of code, whether they are run or not.
	Code []Block
}

// A Step is one command, or commands that a comment has.
type Step struct {
	Line    int // of the page, from 1
	Setup   bool
	Command string
	Want    []string // lines that it prints: see Match; none if it may print anything
	Fails   bool
}

// A Link leads from a line to a file, an anchor or a place elsewhere.
type Link struct {
	Line   int
	Target string
}

// A Block is a block of code.
type Block struct {
	Line     int // of its first line of code
	Language string
	NotRun   string // why it is not run
	Lines    []string
}

var (
	fence   = regexp.MustCompile("^\\s*```\\s*([a-z]*)\\s*$")
	comment = regexp.MustCompile(`(?s)<!--(.*?)-->`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code    = regexp.MustCompile("`[^`]*`")
)

// Read reads a page.
func Read(path string) (*Page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(string(text)), nil
}

// parse reads the text of a page.
func parse(text string) *Page {
	p := &Page{Anchors: map[string]bool{}}
	var said marks
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "<!--"):
			end := i
			for end < len(lines)-1 && !strings.Contains(lines[end], "-->") {
				end++
			}
			p.marked(comment.FindStringSubmatch(strings.Join(lines[i:end+1], "\n")), i+1, &said)
			i = end
		case fence.MatchString(line):
			b := Block{Line: i + 2, Language: fence.FindStringSubmatch(line)[1], NotRun: said.notRun}
			for i++; i < len(lines) && !fence.MatchString(lines[i]); i++ {
				b.Lines = append(b.Lines, lines[i])
			}
			p.add(b, said)
			said = marks{}
		case strings.HasPrefix(line, "    ") && blank(lines, i-1):
			b := Block{Line: i + 1, NotRun: said.notRun}
			for ; i < len(lines) && (strings.HasPrefix(lines[i], "    ") || lines[i] == ""); i++ {
				b.Lines = append(b.Lines, lines[i])
			}
			i--
			p.add(b, said)
			said = marks{}
		default:
			p.prose(line, i+1)
			if line != "" {
				said = marks{}
			}
		}
	}
	return p
}

// marks are what comments said of the block that follows.
type marks struct {
	notRun string
	fails  bool
}

// marked reads a comment.
func (p *Page) marked(m []string, line int, said *marks) {
	if m == nil {
		return
	}
	text := strings.TrimSpace(m[1])
	if rest, ok := strings.CutPrefix(text, "setup"); ok {
		p.Steps = append(p.Steps, Step{Line: line, Setup: true, Command: strings.TrimSpace(rest)})
	}
	if rest, ok := strings.CutPrefix(text, "not run:"); ok {
		said.notRun = strings.TrimSpace(rest)
	}
	said.fails = said.fails || text == "fails"
}

func blank(lines []string, i int) bool { return i < 0 || strings.TrimSpace(lines[i]) == "" }

// add keeps a block, and the commands of a session.
func (p *Page) add(b Block, said marks) {
	p.Code = append(p.Code, b)
	if b.Language != "console" || said.notRun != "" {
		return
	}
	first := len(p.Steps)
	for i := 0; i < len(b.Lines); i++ {
		command, ok := strings.CutPrefix(b.Lines[i], "$ ")
		if !ok {
			if n := len(p.Steps); n > first {
				p.Steps[n-1].Want = append(p.Steps[n-1].Want, b.Lines[i])
			}
			continue
		}
		s := Step{Line: b.Line + i, Command: command}
		for strings.HasSuffix(s.Command, `\`) && i+1 < len(b.Lines) {
			i++
			s.Command += "\n" + b.Lines[i]
		}
		p.Steps = append(p.Steps, s)
	}
	if n := len(p.Steps); n > first {
		p.Steps[n-1].Fails = said.fails
	}
}

// prose finds headings and links.
func (p *Page) prose(line string, n int) {
	if strings.HasPrefix(line, "#") {
		p.Anchors[anchor(strings.TrimLeft(line, "# "))] = true
	}
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
		p.Links = append(p.Links, Link{n, m[1]})
	}
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor is the name that a heading has in links.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
