package export

import (
	"bytes"
	"encoding/binary"
	"regexp"

	"github.com/tabard-hpc/tabard/internal/arrow"
	"github.com/tabard-hpc/tabard/internal/otf2"
)

// isGzip tells compressed files.
func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

var foldedLine = regexp.MustCompile(`^[^\n]*[^ \n] [0-9]+\n`)

// isFolded tells lines that end in a number.
func isFolded(head []byte) bool { return len(head) == 0 || foldedLine.Match(head) }

// isPerfetto tells traces whose first packet is compressed, as ours are.
func isPerfetto(head []byte) bool {
	if len(head) == 0 || head[0] != tracePacket<<3|wireBytes {
		return len(head) == 0
	}
	_, n := binary.Uvarint(head[1:])
	return n > 0 && bytes.HasPrefix(head[1+n:], []byte{packetCompressed<<3&0x7f | wireBytes | 0x80,
		packetCompressed >> 4})
}

// chromeBegin is how traces for Chrome begin.
const chromeBegin = `{"displayTimeUnit":"ns","traceEvents":[`

func isChrome(head []byte) bool { return bytes.HasPrefix(head, []byte(chromeBegin)) }

// isOTF2 tells the anchors of archives that tabard wrote.
func isOTF2(head []byte) bool { return otf2.IsAnchor(head, otf2.Creator) }

func isParquet(head []byte) bool { return bytes.HasPrefix(head, []byte("PAR1")) }

// arrowName is the format's word on the command line.
const arrowName = "arrow"

func isArrow(head []byte) bool { return bytes.HasPrefix(head, []byte(arrow.Magic)) }
