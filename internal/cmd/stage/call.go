package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// requestLimit is how long one request of a program's own may take.
const requestLimit = 10 * time.Second

// Answer is what the service answered to one request.
type Answer struct {
	Status int
	Body   []byte
}

// During runs f and returns the requests that the service received meanwhile. A
// request of its own before and after marks the two ends in the log.
func (s *Service) During(ctx context.Context, f func() error) ([]Entry, error) {
	from, err := s.mark(ctx)
	if err != nil {
		return nil, err
	}

	if err := f(); err != nil {
		return nil, err
	}

	to, err := s.mark(ctx)
	if err != nil {
		return nil, err
	}

	return s.Entries()[from+1 : to], nil
}

// mark sends a request that is none of the service's operations, with a field that no other
// has, and returns its index in the log.
func (s *Service) mark(ctx context.Context) (int, error) {
	s.marks++
	field := fmt.Sprintf("mark-%d", s.marks)
	if _, err := s.call(ctx, http.MethodGet, s.BaseURL()+"/mark?"+field, nil); err != nil {
		return 0, fmt.Errorf("the service cannot be reached: %w", err)
	}

	at := -1
	err := s.await(ctx, requestLimit, func() bool {
		at = slices.IndexFunc(s.Entries(), func(e Entry) bool { return slices.Contains(e.Fields, field) })
		return at >= 0
	})
	if err != nil {
		return 0, fmt.Errorf("a request is missing in the service's log: %w", err)
	}

	return at, nil
}

// Get asks what the service holds about a person: "consent" or "profile".
func (s *Service) Get(ctx context.Context, person, about string) (Answer, error) {
	return s.call(ctx, http.MethodGet, s.address(person, about), nil)
}

// PatchConsent changes a person's consent.
func (s *Service) PatchConsent(ctx context.Context, person string, body []byte) (Answer, error) {
	return s.call(ctx, http.MethodPatch, s.address(person, "consent"), body)
}

func (s *Service) address(person, about string) string {
	return fmt.Sprintf("%s/v1/org/%s/project/%s/compliance/user/%s/%s?apiSecretToken=%s", s.BaseURL(),
		url.PathEscape(s.Variable("ANALYTICS_ORG_ID")), url.PathEscape(s.Variable("ANALYTICS_PROJECT_ID")),
		url.PathEscape(person), about, url.QueryEscape(s.Variable("ANALYTICS_API_SECRET_KEY")))
}

// call makes one request. Errors never show the address, which holds the secret key.
func (s *Service) call(ctx context.Context, method, address string, body []byte) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()

	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return Answer{}, withoutAddress(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}

	resp, err := s.http.Do(req)
	if err != nil {
		return Answer{}, withoutAddress(err)
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))

	return Answer{resp.StatusCode, answer}, err
}

func withoutAddress(err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		return withURL.Err
	}
	return err
}
