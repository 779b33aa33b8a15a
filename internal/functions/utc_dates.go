// SPDX-License-Identifier: MPL-2.0

package functions

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// limitDates is how many dates utc_dates returns at most: ten years.
const limitDates = 3660

var _ function.Function = utcDates{}

// NewUTCDates returns the function utc_dates.
func NewUTCDates() function.Function { return utcDates{} }

type utcDates struct{}

func (utcDates) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "utc_dates"
}

func (utcDates) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "List the dates of a range",
		MarkdownDescription: "Returns all dates from `from` to `to`, both included, in their order. " +
			"Use it with `for_each = toset(…)` to export a range of days with `analytics_export_file`. " +
			fmt.Sprintf("A range has at most %d days.", limitDates),
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "from",
				MarkdownDescription: "The first date, written `YYYY-MM-DD`.",
			},
			function.StringParameter{
				Name:                "to",
				MarkdownDescription: "The last date, written `YYYY-MM-DD`. It must not be before `from`.",
			},
		},
		Return: function.ListReturn{ElementType: types.StringType},
	}
}

func (utcDates) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var from, to string
	resp.Error = req.Arguments.Get(ctx, &from, &to)
	if resp.Error != nil {
		return
	}

	var ends [2]time.Time
	for i, text := range []string{from, to} {
		day, err := client.ParseDay(text)
		if err != nil {
			resp.Error = function.NewArgumentFuncError(int64(i), "The date "+err.Error())
			return
		}
		ends[i] = day
	}
	first, last := ends[0], ends[1]
	if last.Before(first) {
		resp.Error = function.NewArgumentFuncError(1, "The last date is before the first")
		return
	}

	days := (last.Unix()-first.Unix())/(24*60*60) + 1 // a Duration ends after 292 years
	if days > limitDates {
		resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("The range has %d days, and at most %d are allowed", days, limitDates))
		return
	}

	dates := make([]string, 0, days)
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		dates = append(dates, client.FormatDay(day))
	}
	resp.Error = resp.Result.Set(ctx, dates)
}
