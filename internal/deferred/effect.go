// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// SightOf returns what a reading of a profile shows, as shows says of its members; of none where
// there is no profile. err is that of client.GetProfile.
func SightOf(p answer.Profile, err error, shows func(members map[string]jsontext.Value) proof.Effect) (Sight, error) {
	refused, ok := errors.AsType[*transport.Error](err)
	if ok && refused.Class == transport.ClassNotFound {
		return Sight{Shows: shows(nil), Cached: refused.Cached, Date: refused.Date}, nil
	}
	if err != nil {
		return Sight{}, err
	}
	return Sight{Shows: shows(p.Members), Cached: p.Cached, Date: p.Date}, nil
}

// ProfileGone returns the effect of a deletion: the person has no profile, or an empty one.
func ProfileGone(c *client.Client, p client.Person) func(context.Context) (Sight, error) {
	isGone := func(members map[string]jsontext.Value) proof.Effect {
		if len(members) == 0 {
			return proof.Shown
		}
		return proof.Missing
	}

	return func(ctx context.Context) (Sight, error) {
		profile, err := c.GetProfile(ctx, p, nil)
		return SightOf(profile, err, isGone)
	}
}
