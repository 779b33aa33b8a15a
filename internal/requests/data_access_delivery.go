// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"io"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
)

// delivery is a data access request and the file that its data go to.
type delivery struct {
	client   *client.Client
	scope    client.Scope
	identity string
	files    *outfile.PathsInUse
	target   outfile.Target
	// seen reports that the request was in the pending list and has left it, so that the
	// service's next answer may be the data.
	seen bool

	reservation *outfile.Reservation // of the target; nil until reserve
}

// request returns the request for the data, which are written to w.
func (d *delivery) request(w io.Writer) deferred.Request {
	return deferred.Request{
		Scope:    d.scope,
		Identity: d.identity,
		Type:     answer.RequestDataAccess,
		Against:  []string{answer.RequestDataDeletion},
		Adopts:   true,
		Send: func(ctx context.Context) (answer.Receipt, error) {
			return d.client.FetchData(ctx, d.scope, answer.DataCall{Person: d.identity, Seen: d.seen}, w)
		},
	}
}

// reserve reserves the target, unless that is done. Its errors name no path.
func (d *delivery) reserve() error {
	if d.reservation != nil {
		return nil
	}

	reservation, err := d.files.Reserve(d.target)
	d.reservation = reservation

	return err
}

// deliver calls submit with the writer of the reserved file, and puts the file in place if
// submit reports that the data are written. Otherwise there is no file.
func (d *delivery) deliver(submit func(io.Writer) (isWritten bool, err error)) (outfile.File, error) {
	w, err := d.reservation.Writer(0)
	if err != nil {
		return outfile.File{}, err
	}
	defer d.reservation.Discard(0) // no effect after Commit

	isWritten, err := submit(w)
	if err != nil || !isWritten {
		return outfile.File{}, err
	}

	files, err := d.reservation.Commit()
	if err != nil {
		return outfile.File{}, err
	}
	d.reservation.Keep()

	return files[0], nil
}

// close releases the target.
func (d *delivery) close() {
	if d.reservation != nil {
		d.reservation.Close()
	}
}
