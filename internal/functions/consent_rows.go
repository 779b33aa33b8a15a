// SPDX-License-Identifier: MPL-2.0

package functions

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// Limits on the text of consent_rows. Terraform keeps the result in memory several times.
const (
	limitRows      = 10_000
	limitRowsBytes = 8 << 20
)

// adviceLarge says what to use for more people.
const adviceLarge = "Use the resource analytics_consent_batch, which reads a file of any size and keeps nobody in state"

var _ function.Function = consentRows{}

// NewConsentRows returns the function consent_rows.
func NewConsentRows() function.Function { return consentRows{} }

type consentRows struct{}

// attributesOf returns the attributes of a row.
func attributesOf(row *rows.Row) map[string]attr.Value {
	attributes := map[string]attr.Value{"line": types.Int64Value(int64(row.Line)), "identity_id": types.StringValue(row.Identity)}
	values := row.Values()
	for _, name := range decode.ConsentFields {
		switch value := values[name].(type) {
		case nil:
			attributes[name] = types.StringNull()
		case bool:
			attributes[name] = types.BoolValue(value)
		case netip.Addr:
			attributes[name] = types.StringValue(value.Unmap().String())
		case time.Time:
			attributes[name] = types.StringValue(client.FormatInstant(value))
		}
	}

	return attributes
}

// rowTypes returns the types of the attributes of a row.
func rowTypes(ctx context.Context) map[string]attr.Type {
	attributes := map[string]attr.Type{}
	for name, value := range attributesOf(new(rows.Row)) {
		attributes[name] = value.Type(ctx)
	}

	return attributes
}

func (consentRows) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "consent_rows"
}

func (consentRows) Definition(ctx context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Read the consent of many people from a text",
		MarkdownDescription: fmt.Sprintf("Returns the rows of a CSV, NDJSON or JSON text as objects, checked by the rules of `analytics_consent_batch`. A text has at most %d rows and %d MiB.", limitRows, limitRowsBytes>>20),
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "text",
				MarkdownDescription: "The text, such as `file(\"people.csv\")`. Errors name lines and columns, never a value.",
			},
		},
		Return: function.ListReturn{ElementType: types.ObjectType{AttrTypes: rowTypes(ctx)}},
	}
}

func (consentRows) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	resp.Error = req.Arguments.Get(ctx, &text)
	if resp.Error != nil {
		return
	}
	if len(text) > limitRowsBytes {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("The text is larger than %d MiB. %s", limitRowsBytes>>20, adviceLarge))
		return
	}

	list, err := rows.Read(strings.NewReader(text), rows.Options{AnyTime: true})
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, unusable(err))
		return
	}
	if len(list) > limitRows {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("The text has %d rows, and at most %d are allowed. %s", len(list), limitRows, adviceLarge))
		return
	}

	attributes := rowTypes(ctx)
	elements := make([]attr.Value, len(list))
	for i := range list {
		elements[i] = types.ObjectValueMust(attributes, attributesOf(&list[i]))
	}
	resp.Error = resp.Result.Set(ctx, types.ListValueMust(types.ObjectType{AttrTypes: attributes}, elements))
}

// unusable returns the text of an error of the rows. Only an error about rows is known to
// hold no value.
func unusable(err error) string {
	problems, ok := errors.AsType[*rows.Error](err)
	if !ok {
		return "The text cannot be read"
	}
	return "The rows cannot be used:\n" + strings.TrimSuffix(problems.Error(), ".")
}
