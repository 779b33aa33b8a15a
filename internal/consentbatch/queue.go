package consentbatch

import "math/bits"

// queue hands out each row once, in the order of the file or as a sample of the rest.
type queue struct {
	rows int
	head int // rows before it were handed out

	early   map[int]bool // rows after head that were handed out as samples
	sampled int          // how many samples were handed out
}

// next returns the next row in the order of the file.
func (q *queue) next() (row int, ok bool) {
	for q.head < q.rows {
		row = q.head
		q.head++
		if !q.early[row] {
			return row, true
		}
		delete(q.early, row)
	}

	return 0, false
}

// sample returns a row from the rest of the file: first the last one, then the middle, the
// quarters, the eighths and so on. A rest of a few rows is handed out in order.
func (q *queue) sample() (row int, ok bool) {
	rest := q.rows - q.head
	if rest <= 2*sampleRows {
		return q.next()
	}

	row = q.rows - 1
	if q.sampled > 0 {
		row = q.head + int(radicalInverse(q.sampled)*float64(rest))
	}
	q.sampled++

	if q.early[row] {
		return q.next()
	}

	if q.early == nil {
		q.early = map[int]bool{}
	}
	q.early[row] = true

	return row, true
}

// radicalInverse returns n with its bits mirrored at the binary point: 1/2, 1/4, 3/4, 1/8,
// 5/8, ….
func radicalInverse(n int) float64 {
	return float64(bits.Reverse32(uint32(n))) / (1 << 32) //nolint:gosec // some dozens
}
