package otf2

import (
	"encoding/binary"
	"io"
)

// chunks writes records into chunks of equal size, of which the last one may be shorter.
type chunks struct {
	w    io.Writer
	b    []byte
	size int
	// first is the number of the first event of the chunk, last that of the last event so far.
	first, last uint64
}

func newChunks(w io.Writer, size int) *chunks {
	c := &chunks{w: w, size: size, first: 1}
	c.header()
	return c
}

func (c *chunks) header() {
	c.b = append(c.b[:0], chunkHeader, littleEndian)
	c.b = binary.LittleEndian.AppendUint64(c.b, c.first)
	c.b = binary.LittleEndian.AppendUint64(c.b, 0)
}

// empty tells whether nothing is in the chunk.
func (c *chunks) empty() bool { return len(c.b) == headerBytes }

// room begins another chunk if so many bytes, and the end, do not fit into the one that there is.
func (c *chunks) room(n int) error {
	if len(c.b)+n+2 <= c.size {
		return nil
	}
	c.finish()
	for len(c.b) < c.size {
		c.b = append(c.b, endOfChunk)
	}
	if _, err := c.w.Write(c.b); err != nil {
		return err
	}
	c.first = c.last + 1
	c.header()
	return nil
}

// finish notes the number of the last event.
func (c *chunks) finish() { binary.LittleEndian.PutUint64(c.b[headerBytes-8:], c.last) }

// close writes the last chunk.
func (c *chunks) close() error {
	c.finish()
	_, err := c.w.Write(append(c.b, endOfFile, endOfBuffer))
	return err
}
