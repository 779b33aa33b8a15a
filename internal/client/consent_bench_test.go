// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// BenchmarkClient_getConsent is one GET of a consent over a pipe. The other side answers with
// fixed bytes, so that what is measured is the client's. none is the 404 of a person without a
// consent, as a data source meets it and as a batch does when it compares a new row.
func BenchmarkClient_getConsent(b *testing.B) {
	const none = `{"error":{"code":"E404","message":"there is no consent for this person"}}`
	get := func(ctx context.Context, c *client.Client) error {
		_, err := c.GetConsent(ctx, scope, person)
		return err
	}
	compare := func(ctx context.Context, c *client.Client) error {
		_, err := c.CompareConsent(ctx, scope, person, onlyDifferent())
		return err
	}

	for name, bc := range map[string]struct {
		status int
		body   string
		call   func(context.Context, *client.Client) error
		absent bool
	}{
		"found":         {http.StatusOK, `{"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true}`, get, false},
		"none":          {http.StatusNotFound, none, get, true},
		"none compared": {http.StatusNotFound, none, compare, false},
	} {
		b.Run(name, func(b *testing.B) {
			c, err := client.New(client.Config{BaseURL: "http://localhost", Config: transport.Config{
				Credentials: transport.Credentials{APISecretKey: "key"}, LogIsOff: true,
				DialContext: func(context.Context, string, string) (net.Conn, error) { return answering(bc.status, bc.body), nil },
			}})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			b.ReportAllocs()

			for b.Loop() {
				if err := bc.call(b.Context(), c); (err != nil) != bc.absent {
					b.Fatal(err)
				}
			}
		})
	}
}

// answering returns a connection whose other side answers each request, which has no body.
func answering(status int, body string) net.Conn {
	ours, theirs := net.Pipe()
	answer := fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)

	go func() {
		defer theirs.Close()

		lines := bufio.NewReader(theirs)

		for {
			line, err := lines.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) == len("\r\n") {
				_, _ = theirs.Write(answer)
			}
		}
	}()

	return ours
}
