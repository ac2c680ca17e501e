package merge

import (
	"encoding/binary"
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// siteKeys are the keys of call sites. That of a tree of calls has those of what it is made of as hashes, so that it
// says all about it, and is short.
func (e *env) siteKeys(sites []archive.Site, modules []archive.Module) ([]string, error) {
	keys := make([]string, len(sites))
	for i := range sites {
		if sites[i].Tree != nil {
			continue
		}
		key, err := appendSite(nil, &sites[i], modules)
		if err != nil {
			return nil, fmt.Errorf("call site %d: %w", i, err)
		}
		keys[i] = e.intern(key)
	}
	for i := range sites {
		t := sites[i].Tree
		if t == nil {
			continue
		}
		b := []byte{noFrames}
		part := func(site uint32) error {
			if int(site) > len(sites) || site > 0 && keys[site-1] == "" {
				return fmt.Errorf("call site %d has site %d in it", i, int(site)-1)
			}
			h := ""
			if site > 0 {
				h = hashKey([]byte(keys[site-1]))
				e.hashed[h] = keys[site-1]
			}
			b = byteio.AppendSized(b, h)
			return nil
		}
		if err := part(t.Func); err != nil {
			return nil, err
		}
		for _, c := range t.Calls {
			if err := part(c.Site); err != nil {
				return nil, err
			}
			b = binary.AppendUvarint(b, c.Count)
		}
		keys[i] = string(b)
	}
	return keys, nil
}

// noFrames begins the key of a tree. A place has frames, or nothing but this in its key.
const noFrames = 0

// parseTree is the tree that has a key, without its sites, and the keys of those: of its function, and of what it
// called. It is nil if the key is that of a place.
func (e *env) parseTree(key string) (*archive.Tree, []string) {
	if len(key) < 2 || key[0] != noFrames {
		return nil, nil
	}
	r := byteio.Reader{In: []byte(key[1:])}
	t := &archive.Tree{}
	keys := []string{e.hashed[string(r.Sized())]}
	for r.Left() > 0 && r.Err == nil {
		keys = append(keys, e.hashed[string(r.Sized())])
		t.Calls = append(t.Calls, archive.Called{Count: r.Uvarint()})
	}
	return t, keys
}
