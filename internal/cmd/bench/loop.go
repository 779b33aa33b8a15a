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

// loop sends the requests of an apply without any provider: what the service and the
// machine allow. Where an apply has read each person several times, so does the loop,
// each time all people, and it writes after the last.
func (b *bench) loop(ctx context.Context, n int, latency time.Duration, requests map[string]int) (time.Duration, error) {
	service, err := b.stage.Start(ctx, "-latency", latency.String())
	if err != nil {
		return 0, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: seedingParallelism}
	defer transport.CloseIdleConnections()
	l := plainLoop{client: &http.Client{Transport: transport}, base: service.BaseURL(), key: service.Variable("ANALYTICS_API_SECRET_KEY")}

	began := time.Now()
	for read := range requests["getConsent"] / n {
		last := read+1 == requests["getConsent"]/n
		if err := l.each(ctx, n, last && requests["updateConsent"] > 0); err != nil {
			return 0, err
		}
	}
	took := time.Since(began)
	return took, service.Stop()
}

// plainLoop is the service without a provider.
type plainLoop struct {
	client    *http.Client
	base, key string
}

// each reads every person, and writes them then.
func (l plainLoop) each(ctx context.Context, n int, write bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(seedingParallelism)
	for i := range n {
		group.Go(func() error {
			p := personNumber(i)
			identity := p.IdentityID
			if err := l.send(ctx, http.MethodGet, identity, nil); err != nil || !write {
				return err
			}
			p.IdentityID = "" // is in the path
			body, err := json.Marshal(p)
			if err != nil {
				return err
			}
			return l.send(ctx, http.MethodPatch, identity, body)
		})
	}
	return group.Wait()
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
	_, err = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotFound {
		return fmt.Errorf("the mock server answered with status %d", resp.StatusCode)
	}
	return err
}
