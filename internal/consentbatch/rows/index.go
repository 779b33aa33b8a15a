package rows

import "hash/maphash"

// index finds rows by identity. It takes about ten bytes per row; a map would take more than
// the rows themselves.
type index struct {
	rows  *Rows
	seed  maphash.Seed
	slots []int32 // the number of a row, counted from 1, at or after its hash; 0 is free
}

func newIndex(rows *Rows) index {
	return index{rows: rows, seed: maphash.MakeSeed(), slots: make([]int32, 2*chunkRows)}
}

// find returns the row that has an identity.
func (x *index) find(identity string) (row int, found bool) {
	for at := x.slot(maphash.String(x.seed, identity)); x.slots[at] != 0; at = x.slot(at + 1) {
		if row := int(x.slots[at]) - 1; string(x.rows.identity(row)) == identity {
			return row, true
		}
	}
	return 0, false
}

// slot returns the slot of a hash. The number of slots is a power of two.
func (x *index) slot(hash uint64) uint64 {
	return hash & uint64(len(x.slots)-1) //nolint:gosec // a length is not negative
}

// enterLast adds the last row. Its identity must not be in the index.
func (x *index) enterLast() {
	if 4*x.rows.Len() > 3*len(x.slots) {
		x.slots = make([]int32, 2*len(x.slots))
		for row := range x.rows.Len() - 1 {
			x.enter(row)
		}
	}

	x.enter(x.rows.Len() - 1)
}

func (x *index) enter(row int) {
	at := x.slot(maphash.Bytes(x.seed, x.rows.identity(row)))
	for x.slots[at] != 0 {
		at = x.slot(at + 1)
	}

	x.slots[at] = int32(row) + 1 //nolint:gosec // rows are counted in int32
}
