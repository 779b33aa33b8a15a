package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// service is the mock server as the demo looks at it, beside Terraform.
type service struct{ *stage.Service }

// consent returns a person's consent.
func (s service) consent(ctx context.Context, person string) (consent, error) {
	var record consent
	if found, err := s.read(ctx, person, "consent", &record); err != nil || !found {
		return consent{}, orMissing(err, person, "consent")
	}
	return record, nil
}

// writeConsent changes a person's consent without Terraform.
func (s service) writeConsent(ctx context.Context, person string, record consent) error {
	body, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("the consent of %s could not be encoded: %w", person, err)
	}
	_, status, err := s.Call(ctx, http.MethodPatch, person, "consent", body)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("the service answered with status %d", status)
	}
	if err != nil {
		return fmt.Errorf("the consent of %s could not be changed: %w", person, err)
	}
	return nil
}

// profile returns a person's profile and whether there is one.
func (s service) profile(ctx context.Context, person string) (held profile, found bool, err error) {
	found, err = s.read(ctx, person, "profile", &held)
	return held, found, err
}

// read decodes what the service holds of a person, if it holds anything.
func (s service) read(ctx context.Context, person, about string, into any) (found bool, err error) {
	answer, status, err := s.Call(ctx, http.MethodGet, person, about, nil)
	switch {
	case err != nil:
	case status == http.StatusNotFound:
		return false, nil
	case status != http.StatusOK:
		err = fmt.Errorf("the service answered with status %d", status)
	default:
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		return false, fmt.Errorf("the %s of %s could not be read: %w", about, person, err)
	}
	return true, nil
}

func orMissing(err error, person, about string) error {
	if err == nil {
		err = fmt.Errorf("the service knows no %s of %s", about, person)
	}
	return err
}
