// SPDX-License-Identifier: MPL-2.0

// Command loop sends the requests of an apply as a plain Go program: what the service and
// the machine allow. The bench compares an apply of a batch with it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/bench/people"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/command"
)

func main() { command.Main("loop", run) }

// options are the command line.
type options struct {
	people      int
	reads       int
	write       bool
	parallelism int
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("loop", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.people, "people", 1000, "how many people there are")
	flags.IntVar(&o.reads, "reads", 1, "how many times each person is read, all people each time")
	flags.BoolVar(&o.write, "write", false, "whether each person is written after the last read")
	flags.IntVar(&o.parallelism, "parallelism", 16, "how many requests are under way at a time")
	if err := flags.Parse(args); err != nil {
		return o, err
	}

	if flags.NArg() > 0 || o.people < 1 || o.reads < 1 || o.parallelism < 1 {
		return o, errors.New("there are flags only, and their numbers are from 1")
	}

	return o, nil
}

// run sends the requests to the service of ANALYTICS_BASE_URL.
func run(ctx context.Context, args []string, _, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}

	transport := &http.Transport{MaxIdleConnsPerHost: o.parallelism}
	defer transport.CloseIdleConnections()
	c := client{
		http: &http.Client{Transport: transport},
		base: os.Getenv("ANALYTICS_BASE_URL") + "/v1/org/" + people.Org + "/project/" + people.Project + "/compliance/user/",
		key:  os.Getenv("ANALYTICS_API_SECRET_KEY"),
	}

	for read := range o.reads {
		last := read == o.reads-1
		if err := c.each(ctx, o, last && o.write); err != nil {
			return err
		}
	}

	return nil
}

// client is one without what the provider's client does.
type client struct {
	http      *http.Client
	base, key string
}

// each reads all people, and where write is set writes each one then.
func (c client) each(ctx context.Context, o options, write bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.parallelism)
	for i := range o.people {
		group.Go(func() error {
			p := people.Number(i)
			if err := c.send(ctx, http.MethodGet, p.IdentityID, nil); err != nil || !write {
				return err
			}
			return c.write(ctx, p)
		})
	}

	return group.Wait()
}

func (c client) write(ctx context.Context, p people.Person) error {
	identity := p.IdentityID
	p.IdentityID = "" // is in the path
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.send(ctx, http.MethodPatch, identity, body)
}

func (c client) send(ctx context.Context, method, identity string, body []byte) error {
	address := c.base + url.PathEscape(identity) + "/consent?apiSecretToken=" + url.QueryEscape(c.key)
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")

	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotFound {
		return fmt.Errorf("the mock server answered with status %d", resp.StatusCode)
	}

	_, err = io.Copy(io.Discard, resp.Body)

	return err
}
