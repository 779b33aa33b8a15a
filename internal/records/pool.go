package records

import "sync"

// pool is goroutines that parse parts of an answer. The zero pool starts them with its
// first job.
type pool struct {
	options Options
	jobs    chan *job
	running sync.WaitGroup
	idle    []*job
}

// job is one part on its way through the pool.
type job struct {
	part

	home   []byte // the buffer that the text is in
	offset int64  // of the text in the answer
	res    scanned
	done   chan struct{} // closed once res is there
}

// job returns a job that nothing else uses.
func (p *pool) job() *job {
	if last := len(p.idle) - 1; last >= 0 {
		j := p.idle[last]
		p.idle = p.idle[:last]
		return j
	}
	return &job{}
}

// start has a job done.
func (p *pool) start(j *job) {
	if p.jobs == nil {
		p.jobs = make(chan *job, p.options.workers()+1)
		for range p.options.workers() {
			p.running.Go(p.work)
		}
	}
	j.done = make(chan struct{})
	p.jobs <- j
}

// stop ends the goroutines, and waits for them.
func (p *pool) stop() {
	if p.jobs != nil {
		close(p.jobs)
	}
	p.running.Wait()
}

func (p *pool) work() {
	s := newScanner(p.options)
	for j := range p.jobs {
		j.run(s)
	}
}

func (j *job) run(s *scanner) {
	defer func() {
		if recover() != nil { // its value may hold a record
			j.res = scanned{err: ErrPanic}
		}
		close(j.done)
	}()
	j.res = s.scan(j.part, j.res.records)
}
