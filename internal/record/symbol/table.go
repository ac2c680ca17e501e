package symbol

// table maps non-zero handles to small non-negative numbers: open addressing with linear probing
// and deletion by shifting back (Knuth, TAOCP 3, 6.4 R). Requests come and go with every call, and
// with a Go map that would cost several times as much.
type table struct {
	keys []uint64 // handle + 1, 0 is empty
	vals []int32
	n    int
}

func (t *table) home(key uint64) int {
	return int((key*0x9e3779b97f4a7c15)>>32) & (len(t.keys) - 1)
}

// slot finds key's place, or the empty place where it would go.
func (t *table) slot(key uint64) int {
	i := t.home(key)
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & (len(t.keys) - 1)
	}
	return i
}

func (t *table) get(h uint64) (int32, bool) {
	if t.n == 0 {
		return -1, false
	}
	i := t.slot(h + 1)
	return t.vals[i], t.keys[i] != 0
}

func (t *table) put(h uint64, v int32) {
	if 2*t.n >= len(t.keys) {
		t.grow()
	}
	i := t.slot(h + 1)
	if t.keys[i] == 0 {
		t.keys[i] = h + 1
		t.n++
	}
	t.vals[i] = v
}

func (t *table) grow() {
	old := *t
	size := max(16, 2*len(old.keys))
	*t = table{keys: make([]uint64, size), vals: make([]int32, size)}
	old.each(func(h uint64, v int32) { t.put(h, v) })
}

func (t *table) del(h uint64) {
	if t.n == 0 {
		return
	}
	i := t.slot(h + 1)
	if t.keys[i] == 0 {
		return
	}
	mask := len(t.keys) - 1
	for j := i; ; {
		j = (j + 1) & mask
		if t.keys[j] == 0 {
			break
		}
		// The entry at j may move to i unless its home lies in (i, j].
		if home := t.home(t.keys[j]); (j-home)&mask >= (j-i)&mask {
			t.keys[i], t.vals[i] = t.keys[j], t.vals[j]
			i = j
		}
	}
	t.keys[i] = 0
	t.n--
}

func (t *table) each(f func(h uint64, v int32)) {
	for i, k := range t.keys {
		if k != 0 {
			f(k-1, t.vals[i])
		}
	}
}
