package timing

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// fanout is how many entries of a level one of the level above sums up.
const fanout = 16

// A summaryEntry is an entry of a level of the pyramid: a block, or a node of the level below.
type summaryEntry struct {
	Summary
	size   int   // of the block or node, in bytes
	offset int64 // of it, from the beginning of its level or of the blocks
}

// appendPyramid writes the levels of summaries, the one with a single node first. Of a single block
// it writes only the start. The rest of a summary would take a tenth of the bytes of a short
// stream, and decoding one block takes no more than a millisecond.
func appendPyramid(dst []byte, level []summaryEntry) []byte {
	if len(level) == 1 {
		start := byteio.AppendVarint(nil, int64(level[0].First))
		return append(binary.AppendUvarint(dst, uint64(len(start))), start...)
	}
	var levels [][]byte
	for {
		var bytes []byte
		var above []summaryEntry
		offset := uint64(0)
		for from := 0; from < len(level); from += fanout {
			node := level[from:min(from+fanout, len(level))]
			n := len(bytes)
			bytes = appendNode(bytes, node, offset)
			for i := range node {
				offset += uint64(node[i].size)
			}
			above = append(above, summaryEntry{Summary: sumOf(node), size: len(bytes) - n})
		}
		levels = append(levels, bytes)
		if level = above; len(level) == 1 {
			break
		}
	}
	for i := len(levels) - 1; i >= 0; i-- {
		dst = binary.AppendUvarint(dst, uint64(len(levels[i])))
	}
	for i := len(levels) - 1; i >= 0; i-- {
		dst = append(dst, levels[i]...)
	}
	return dst
}

// appendNode writes the entries of a node, whose things lie one after the other from offset on.
func appendNode(dst []byte, node []summaryEntry, offset uint64) []byte {
	dst = binary.AppendUvarint(dst, offset)
	latest := uint64(0)
	for i := range node {
		e := &node[i]
		dst = byteio.AppendVarint(dst, int64(e.First-latest))
		dst = binary.AppendUvarint(dst, e.Latest-e.First)
		dst = binary.AppendUvarint(dst, uint64(e.size))
		dst = appendClasses(dst, e.Classes)
		latest = e.Latest
	}
	return dst
}

// readNode reads a node of a level whose entries have calls calls each, from call from on; all is
// the number of calls of the stream.
func readNode(p *byteio.Reader, from, calls, all uint64) []summaryEntry {
	var node []summaryEntry
	offset := p.Uvarint()
	latest := uint64(0)
	for range fanout {
		if from >= all || p.Err != nil {
			break
		}
		e := summaryEntry{offset: int64(offset)}
		e.From, e.To = from, from+min(calls, all-from)
		e.First = latest + uint64(p.Varint())
		e.Latest = e.First + p.Uvarint()
		size := p.Uvarint()
		if size > 1<<48 || offset > 1<<60 {
			p.Fail("block or summary is too large")
		}
		e.size = int(size)
		offset += size
		e.Classes = readClasses(p, e.To-e.From)
		latest = e.Latest
		from = e.To
		node = append(node, e)
	}
	if p.Err == nil && p.Left() > 0 {
		p.Fail("bytes after the last summary")
	}
	return node
}

// single reads the entry of the only block of a stream, with its start alone; a zero one after an
// error.
func (r *Reader) single() summaryEntry {
	lv := &r.levels[0]
	in, err := r.src.Bytes(lv.at, int(lv.size))
	if err != nil {
		r.fail(err)
		return summaryEntry{}
	}
	p := open(in, lv.at)
	e := summaryEntry{Summary: Summary{To: r.n, First: uint64(p.Varint())}, size: int(r.src.Size() - r.blocks)}
	if p.Err == nil && p.Left() > 0 {
		p.Fail("bytes after the last summary")
	}
	if p.Err != nil {
		r.fail(p.Err)
		return summaryEntry{}
	}
	return e
}

// singleNode is the node that the only block is summed up in, which is decoded for that.
func (r *Reader) singleNode() []summaryEntry {
	e := r.single()
	r.load(0)
	if r.err != nil {
		return nil
	}
	e.Summary = r.loaded(0, r.n)
	return []summaryEntry{e}
}
