package records

import (
	"bytes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// readList passes on the records in a container, from the opening bracket of an array to
// the closing one, or to the end of the answer.
//
// Once it has seen what separates two records, it cuts the answer at places that look
// the same, and has the parts parsed concurrently. A cut is a guess, and holds only if
// the part before it ends exactly there. Otherwise the parts are joined again, and
// reading continues from where they are understood.
func (s *splitter) readList(in container) error {
	l := &listReader{splitter: s, in: in, fresh: true}
	for !l.done {
		if err := l.readWindow(); err != nil {
			return err
		}

		if l.mayCut() {
			if err := l.readParallel(); err != nil {
				return err
			}
		}
	}

	return nil
}

// listReader reads one list.
type listReader struct {
	*splitter

	in    container
	fresh bool // the opening bracket of the array has not been read yet
	done  bool // the list has been read to its end

	// separator is what stands between two records, from the last bracket of one to the
	// first of the next; longSeparator includes the first name of the next one.
	separator, longSeparator []byte
	// misses counts wrong cuts, and pause is how many windows are read before the next
	// cut.
	misses, pause int
}

// readWindow reads the records in the window, or one that is larger than the window.
func (l *listReader) readWindow() error {
	for size := l.src.block; ; size = min(4*size, LimitRecord+l.src.block) {
		l.src.load(size)

		progress, err := l.scanWindow()
		if progress || err != nil {
			return err
		}
		if len(l.src.window) > LimitRecord {
			return ErrTooLarge
		}
	}
}

// scanWindow passes on the records in the window, and reports whether there were any or
// the list has ended.
func (l *listReader) scanWindow() (progress bool, err error) {
	ended := l.src.ended()
	res := l.scanner.scan(l.part(l.src.window, l.src.complete()), l.records)
	l.records = res.records
	l.learnSeparator(res.records, l.src.window)

	if err := l.use(res, l.src.offset); err != nil {
		return false, err
	}
	l.src.advance(res.used)

	if ended && !l.done {
		l.done = true
		return true, l.checkEnd()
	}

	return l.done || res.used > 0, nil
}

func (l *listReader) part(text []byte, final bool) part {
	return part{text: text, in: l.in, fresh: l.fresh, final: final}
}

// checkEnd refuses an answer that ends within the list.
func (l *listReader) checkEnd() error {
	next, err := l.src.peek()
	if err != nil {
		return err
	}

	if err := l.src.failure(); err != nil {
		return err
	}

	if next != 0 || !l.in.lines {
		return ErrTruncated
	}

	return nil
}

// use passes on what was found in a text that begins at an offset of the answer.
func (l *listReader) use(res scanned, offset int64) error {
	for _, r := range res.records {
		if err := l.pass(r); err != nil {
			return err
		}
	}

	if res.used > 0 {
		l.fresh = false
	}
	l.done = res.closed

	return located(res.err, offset+int64(res.at))
}

func (l *listReader) pass(r record) error {
	switch r.verdict {
	case wrapper:
		return l.splitObject(r.value)
	case ambiguous:
		return ErrAmbiguous
	}
	return l.collector.add(r, l.in)
}

// splitObject passes on the records that an object in memory holds.
func (s *splitter) splitObject(object []byte) error {
	o := s.options
	o.Workers = 1
	return newSplitter(inMemory(object), o, s.collector).readEnvelope(container{}, limitDepth)
}

// learnSeparator finds out what stands between two records, unless that is known.
func (l *listReader) learnSeparator(records []record, text []byte) {
	if l.separator == nil && len(records) > 1 {
		l.separator, l.longSeparator = separatorAt(text, records[0].end, records[1].start)
	}
}

// separatorAt returns what stands between a record that ends at one offset of a text, and
// the next, which starts at another; nil unless both are objects.
func separatorAt(text []byte, end, start int) (separator, long []byte) {
	if text[end-1] != '}' || text[start] != '{' {
		return nil, nil
	}
	separator = bytes.Clone(text[end-1 : start+1])

	name := jsonvalue.SkipSpace(text, start+1)
	if text[name] != '"' {
		return separator, nil
	}
	length := bytes.IndexByte(text[name+1:], '"') // up to an escape is enough

	return separator, bytes.Clone(text[end-1 : name+1+length+1])
}

// mayCut reports whether parts of the list may be parsed concurrently now.
func (l *listReader) mayCut() bool {
	if l.done || l.pool == nil || l.separator == nil {
		return false
	}
	if l.pause > 0 {
		l.pause--
		return false
	}
	return true
}

// cut removes a part from the window that probably ends with a record; it returns nil if
// there is none.
func (l *listReader) cut() *job {
	l.src.load(l.src.block)
	window := l.src.window[:min(len(l.src.window), l.src.block)]

	at := -1
	if l.longSeparator != nil {
		at = bytes.LastIndex(window, l.longSeparator)
	}
	if at < 0 {
		at = bytes.LastIndex(window, l.separator)
	}
	if at < 0 {
		return nil
	}

	j := l.pool.job()
	j.offset = l.src.offset
	text, buf := l.src.detach(at + 1)
	j.part, j.buf = l.part(text, false), buf

	return j
}

// readParallel has parts of the list parsed concurrently, and passes on their records in
// order. It returns at the end of the list, after a wrong cut, or if nothing can be cut.
func (l *listReader) readParallel() error {
	var inFlight []*job
	defer func() { await(inFlight) }()

	for {
		inFlight = l.cutAndStart(inFlight)
		if len(inFlight) == 0 {
			return nil
		}

		j := inFlight[0]
		<-j.done
		if err := l.use(j.res, j.offset); err != nil {
			return err
		}

		if !j.isUsedUp() {
			l.rejoin(inFlight)
			return nil
		}

		inFlight = inFlight[1:]
		l.src.release(j.buf)
		l.pool.put(j)
	}
}

// cutAndStart cuts and starts as many jobs as the pool can work on.
func (l *listReader) cutAndStart(inFlight []*job) []*job {
	for len(inFlight) <= l.options.workers() {
		j := l.cut()
		if j == nil {
			break
		}

		l.pool.start(j)
		inFlight = append(inFlight, j)
	}

	return inFlight
}

// rejoin joins the text of jobs again, from where the first of them was understood.
func (l *listReader) rejoin(inFlight []*job) {
	await(inFlight)

	first := inFlight[0]
	blocks := [][]byte{first.text[first.res.used:]}
	for _, j := range inFlight[1:] {
		blocks = append(blocks, j.text)
	}
	l.src.putBack(blocks...)

	if !first.res.closed {
		l.misses++
		l.pause = 1 << min(l.misses, 6)
	}
}
