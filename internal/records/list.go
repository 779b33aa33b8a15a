package records

import "bytes"

// list passes on the records of a place, from the bracket that opens its array to the
// one that closes it, or to the end of the answer.
//
// Once it has seen what stands between two records, it cuts the answer at places that
// look alike and has the parts parsed beside each other. A cut is a guess: it counts
// only where the part before it ends exactly there. Otherwise the parts are put together
// again and read from where they are understood.
func (s *splitter) list(where place) error {
	l := &listing{s: s, in: s.in, where: where, fresh: true}
	for {
		done, err := l.step()
		if done || err != nil {
			return err
		}

		if s.pool == nil || l.gap == nil {
			continue
		}
		if l.distrust > 0 {
			l.distrust--
			continue
		}
		if done, err = l.beside(); done || err != nil {
			return err
		}
	}
}

// listing is a list on its way.
type listing struct {
	s     *splitter
	in    *source
	where place
	fresh bool // the bracket that opens the array is not read yet

	// gap is what stands between two records, with the last bracket of one and the first
	// of the next; between also has the first name of the next.
	gap, between []byte
	// wrong is how many guesses were, and distrust for how many steps none are made.
	wrong, distrust int
}

// step reads the records in the window, or one that is larger than the window.
func (l *listing) step() (done bool, err error) {
	for size := l.in.block; ; size = min(4*size, LimitRecord+l.in.block) {
		l.in.fill(size)
		ended := l.in.ended()
		res := l.s.scanner.scan(l.part(l.in.window, ended && l.in.failure() == nil), l.s.found)
		l.s.found = res.records
		l.learn(res.records, l.in.window)
		if err := l.use(res, l.in.offset); err != nil {
			return false, err
		}
		l.in.advance(res.used)

		switch {
		case res.closed:
			return true, nil
		case ended:
			return true, l.atEnd()
		case res.used > 0:
			return false, nil
		case len(l.in.window) > LimitRecord:
			return false, ErrTooLarge
		}
	}
}

func (l *listing) part(text []byte, final bool) part {
	return part{text: text, in: l.where, fresh: l.fresh, final: final}
}

// atEnd judges what is left of the answer behind its last record.
func (l *listing) atEnd() error {
	next, err := l.in.peek()
	if err != nil {
		return err
	}
	if err := l.in.failure(); err != nil {
		return err
	}
	if next != 0 || !l.where.lines {
		return ErrTruncated
	}
	return nil
}

// use passes on what was found in a text that begins at an offset of the answer.
func (l *listing) use(res scanned, offset int64) error {
	for _, r := range res.records {
		if err := l.pass(r); err != nil {
			return err
		}
	}
	if res.used > 0 {
		l.fresh = false
	}
	return located(res.err, offset+int64(res.at))
}

func (l *listing) pass(r found) error {
	switch r.as {
	case wrapper:
		return l.s.inside(r.value)
	case ambiguous:
		return ErrAmbiguous
	}
	return l.s.tally.pass(r, l.where)
}

// inside passes on the records that an object in memory holds.
func (s *splitter) inside(object []byte) error {
	o := s.options
	o.Workers = 1
	return newSplitter(inMemory(object), o, s.tally).holder(place{}, limitDepth)
}

// learn finds out what stands between two records.
func (l *listing) learn(records []found, text []byte) {
	if l.gap != nil || len(records) < 2 {
		return
	}
	a, b := records[0], records[1]
	if text[a.end-1] != '}' || text[b.start] != '{' {
		return
	}

	l.gap = bytes.Clone(text[a.end-1 : b.start+1])
	if name := skipSpace(text, b.start+1); text[name] == '"' {
		length := bytes.IndexByte(text[name+1:], '"') // up to an escape is enough
		l.between = bytes.Clone(text[a.end-1 : name+1+length+1])
	}
}

// cut takes a part off the window that is likely to end with a record; nil where there
// is none.
func (l *listing) cut() *job {
	l.in.fill(l.in.block)
	window := l.in.window[:min(len(l.in.window), l.in.block)]
	at := -1
	if l.between != nil {
		at = bytes.LastIndex(window, l.between)
	}
	if at < 0 {
		at = bytes.LastIndex(window, l.gap)
	}
	if at < 0 {
		return nil
	}

	j := l.s.pool.job()
	j.offset = l.in.offset
	text, home := l.in.detach(at + 1)
	j.part, j.home = l.part(text, false), home
	return j
}

// beside has parts of the list parsed beside each other, as long as that goes well, and
// passes on their records in order.
func (l *listing) beside() (done bool, err error) {
	var flying []*job
	defer func() {
		for _, j := range flying {
			<-j.done
		}
	}()

	for {
		for len(flying) <= l.s.options.workers() {
			j := l.cut()
			if j == nil {
				break
			}
			l.s.pool.start(j)
			flying = append(flying, j)
		}
		if len(flying) == 0 {
			return false, nil
		}

		j := flying[0]
		<-j.done
		if err := l.use(j.res, j.offset); err != nil {
			return false, err
		}
		if j.res.closed || j.res.used < len(j.text) {
			l.rejoin(flying)
			return j.res.closed, nil
		}

		flying = flying[1:]
		l.in.release(j.home)
		l.s.pool.idle = append(l.s.pool.idle, j)
	}
}

// rejoin puts parts together again where the first of them was understood only up to
// some point.
func (l *listing) rejoin(flying []*job) {
	blocks := [][]byte{flying[0].text[flying[0].res.used:]}
	for _, j := range flying[1:] {
		<-j.done
		blocks = append(blocks, j.text)
	}
	l.in.putBack(blocks...)

	if !flying[0].res.closed {
		l.wrong++
		l.distrust = 1 << min(l.wrong, 6)
	}
}
