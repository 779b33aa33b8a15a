package records

import "sync"

// pool is a group of goroutines that parse parts of an answer. They start with the first
// job.
type pool struct {
	options Options
	jobs    chan *job
	running sync.WaitGroup
	idle    []*job
}

// job is one part to parse.
type job struct {
	part

	buf    []byte // the buffer that holds the text
	offset int64  // of the text in the answer
	res    scanned
	done   chan struct{} // closed once res is set
}

// isUsedUp reports whether a job that is done has understood all of its text, and its
// list goes on.
func (j *job) isUsedUp() bool { return !j.res.closed && j.res.used == len(j.text) }

// await waits until all jobs are done.
func await(jobs []*job) {
	for _, j := range jobs {
		<-j.done
	}
}

// job returns a job that is not in use.
func (p *pool) job() *job {
	if last := len(p.idle) - 1; last >= 0 {
		j := p.idle[last]
		p.idle = p.idle[:last]
		return j
	}
	return &job{}
}

// put returns a job to the pool.
func (p *pool) put(j *job) { p.idle = append(p.idle, j) }

// start starts to work on a job.
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

// stop ends the goroutines and waits for them.
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
