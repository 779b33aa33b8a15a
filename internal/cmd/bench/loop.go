package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"
)

// loop sends the requests of a seeding's apply without any provider: what the service
// and the machine allow. Where the apply has read each person several times, so does
// the loop, each time all people, and it writes after the last.
func (b *bench) loop(ctx context.Context, s seeded) (time.Duration, error) {
	service, err := b.stage.Start(ctx, "-latency", s.latency.String())
	if err != nil {
		return 0, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: seedingParallelism}
	defer transport.CloseIdleConnections()
	l := plainLoop{client: &http.Client{Transport: transport}, base: service.BaseURL(), key: service.Variable("ANALYTICS_API_SECRET_KEY")}

	began := time.Now()
	reads := s.traffic["getConsent"] / s.people
	for read := range reads {
		last := read == reads-1
		if err := l.each(ctx, s.people, last && s.traffic["updateConsent"] > 0); err != nil {
			return 0, err
		}
	}
	took := time.Since(began)

	return took, service.Stop()
}

// plainLoop is a client without what the provider's client does.
type plainLoop struct {
	client    *http.Client
	base, key string
}

// each reads n people, and where write is set writes each one then.
func (l plainLoop) each(ctx context.Context, n int, write bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(seedingParallelism)
	for i := range n {
		group.Go(func() error {
			p := personNumber(i)
			if err := l.send(ctx, http.MethodGet, p.IdentityID, nil); err != nil || !write {
				return err
			}
			return l.write(ctx, p)
		})
	}

	return group.Wait()
}

func (l plainLoop) write(ctx context.Context, p person) error {
	identity := p.IdentityID
	p.IdentityID = "" // is in the path
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return l.send(ctx, http.MethodPatch, identity, body)
}

func (l plainLoop) send(ctx context.Context, method, identity string, body []byte) error {
	address := l.base + "/v1/org/org-bench/project/web/compliance/user/" + url.PathEscape(identity) + "/consent?apiSecretToken=" + url.QueryEscape(l.key)
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")

	resp, err := l.client.Do(req)
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
