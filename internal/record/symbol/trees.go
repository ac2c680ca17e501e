package symbol

import (
	"encoding/binary"
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Tree is the tree of calls that a site stands for, nil if it is a place.
func (t *interned) Tree(site uint32) *archive.Tree { return t.trees[site] }

// defineTree takes in a tree of calls. Its word means a site from now on: that of an equal tree, which another thread
// may have made, or a new one. What it is made of is known.
func (p *Process) defineTree(w []uint64) error {
	if len(w) < 2 || len(w)%2 != 0 {
		return fmt.Errorf("tree of calls in %d words", len(w))
	}
	tree := &archive.Tree{Func: p.site(w[1], false, nil)}
	for k := 2; k < len(w); k += 2 {
		site, ok := p.siteIDs[siteKey{w[k], false}]
		if !ok {
			site = p.site(w[k], false, nil)
		}
		tree.Calls = append(tree.Calls, archive.Called{Site: site, Count: w[k+1]})
	}
	p.addTree(siteKey{w[0], false}, tree)
	return nil
}

// addTree gives a tree its site.
func (t *interned) addTree(word siteKey, tree *archive.Tree) {
	key := treeKey(tree)
	id, ok := t.treeIDs[key]
	if !ok {
		t.sites = append(t.sites, nil)
		t.siteWords = append(t.siteWords, word.word)
		id = uint32(len(t.sites))
		t.treeIDs[key], t.trees[id] = id, tree
	}
	t.siteIDs[word] = id
}

// canonical is the first word that had the meaning of a tree's.
func (t *interned) canonical(word uint64) uint64 {
	if id := t.siteIDs[siteKey{word, false}]; id > 0 {
		return t.siteWords[id-1]
	}
	return word
}

// treeKey tells trees apart.
func treeKey(t *archive.Tree) string {
	key := binary.AppendUvarint(nil, uint64(t.Func))
	for _, c := range t.Calls {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(c.Site)), c.Count)
	}
	return string(key)
}
