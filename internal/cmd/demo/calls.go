package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// read returns a person's record, as anybody with the secret key can.
func (s *service) read(ctx context.Context, person string) (consent, error) {
	var record consent
	answer, status, err := s.call(ctx, http.MethodGet, person, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the service answered with status %d", status)
	}
	if err == nil {
		err = json.Unmarshal(answer, &record)
	}
	if err != nil {
		return consent{}, fmt.Errorf("the consent of %s could not be read: %w", person, err)
	}
	return record, nil
}

// write changes a person's record without Terraform.
func (s *service) write(ctx context.Context, person string, record consent) error {
	body, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("the consent of %s could not be encoded: %w", person, err)
	}
	_, status, err := s.call(ctx, http.MethodPatch, person, body)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("the service answered with status %d", status)
	}
	if err != nil {
		return fmt.Errorf("the consent of %s could not be changed: %w", person, err)
	}
	return nil
}

// during runs f and returns the requests that the service received meanwhile. A
// request of the demo's own before and after marks the two ends in the log.
func (s *service) during(ctx context.Context, f func() error) ([]logEntry, error) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[from+1 : to], nil
}

// mark asks for a person whom nobody knows and returns the place of that request
// in the log.
func (s *service) mark(ctx context.Context) (int, error) {
	s.marks++
	nobody := fmt.Sprintf("demo-mark-%d", s.marks)
	if _, _, err := s.call(ctx, http.MethodGet, nobody, nil); err != nil {
		return 0, fmt.Errorf("the service cannot be reached: %w", err)
	}
	at := -1
	err := s.await(ctx, requestLimit, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i, e := range s.entries {
			if strings.Contains(e.Path, "/"+nobody+"/") {
				at = i
			}
		}
		return at >= 0
	})
	if err != nil {
		return 0, fmt.Errorf("a request is missing in the service's log: %w", err)
	}
	return at, nil
}

// call makes one request about a person's consent. Errors never show the address,
// which holds the secret key.
func (s *service) call(ctx context.Context, method, person string, body []byte) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	address := fmt.Sprintf("%s/v1/org/%s/project/%s/compliance/user/%s/consent?apiSecretToken=%s", s.baseURL(),
		url.PathEscape(s.variable("ANALYTICS_ORG_ID")), url.PathEscape(s.variable("ANALYTICS_PROJECT_ID")),
		url.PathEscape(person), url.QueryEscape(s.variable("ANALYTICS_API_SECRET_KEY")))
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, 0, withoutAddress(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, 0, withoutAddress(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return answer, resp.StatusCode, err
}

func withoutAddress(err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		return withURL.Err
	}
	return err
}

// leaked reports whether text contains a credential that the server gave out.
func (s *service) leaked(text string) bool {
	for _, name := range []string{"ANALYTICS_API_SECRET_KEY", "ANALYTICS_PASSWORD", "ANALYTICS_TOKEN"} {
		if secret := s.variable(name); secret != "" && strings.Contains(text, secret) {
			return true
		}
	}
	return false
}
