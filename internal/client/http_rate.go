package client

import (
	"errors"
	"io"
	"time"
)

// rateWindow is how much time is spent waiting for an answer before its rate is judged.
// Time that its reader takes does not count, so that a slow disk is not the service's fault.
const rateWindow = time.Minute

var errTooSlow = errors.New("the answer is slower than the floor")

// rateFloor is a reader that fails with errTooSlow where less than floor bytes per second
// arrive during a rateWindow.
type rateFloor struct {
	io.Reader

	floor  int64 // bytes per second; 0 is none
	waited time.Duration
	read   int64
}

func (r *rateFloor) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := r.Reader.Read(p)
	r.waited += time.Since(began)
	r.read += int64(n)

	if r.waited < rateWindow || err != nil {
		return n, err
	}
	if float64(r.read) < float64(r.floor)*r.waited.Seconds() {
		return n, errTooSlow
	}

	r.waited, r.read = 0, 0

	return n, nil
}
