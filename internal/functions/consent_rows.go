// SPDX-License-Identifier: MPL-2.0

package functions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
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

// rowModel is one row of the result.
type rowModel struct {
	Line          types.Int64  `tfsdk:"line"`
	IdentityID    types.String `tfsdk:"identity_id"`
	Clause1       types.Bool   `tfsdk:"clause_1_consent"`
	Clause2       types.Bool   `tfsdk:"clause_2_consent"`
	Clause3       types.Bool   `tfsdk:"clause_3_consent"`
	Clause4       types.Bool   `tfsdk:"clause_4_consent"`
	Clause5       types.Bool   `tfsdk:"clause_5_consent"`
	UserIPv6      types.String `tfsdk:"user_ipv6"`
	AgreementTime types.String `tfsdk:"agreement_time"`
	Manual        types.Bool   `tfsdk:"manual"`
}

func rowTypes() map[string]attr.Type {
	attributes := map[string]attr.Type{
		"line":           types.Int64Type,
		"identity_id":    types.StringType,
		"user_ipv6":      types.StringType,
		"agreement_time": types.StringType,
		"manual":         types.BoolType,
	}
	for clause := 1; clause <= answer.Clauses; clause++ {
		attributes["clause_"+strconv.Itoa(clause)+"_consent"] = types.BoolType
	}

	return attributes
}

func (consentRows) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "consent_rows"
}

func (consentRows) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Read the consent of many people from a text",
		MarkdownDescription: fmt.Sprintf("Returns the rows of a CSV, NDJSON or JSON text as objects, checked by the rules of `analytics_consent_batch`. A text has at most %d rows and %d MiB.", limitRows, limitRowsBytes>>20),
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "text",
				MarkdownDescription: "The text, such as `file(\"people.csv\")`. Errors name lines and columns, never a value.",
			},
		},
		Return: function.ListReturn{ElementType: types.ObjectType{AttrTypes: rowTypes()}},
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

	list, err := rows.Read(strings.NewReader(text), rows.FormatIn(text))
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, unusable(err))
		return
	}
	if len(list) > limitRows {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("The text has %d rows, and at most %d are allowed. %s", len(list), limitRows, adviceLarge))
		return
	}

	models := make([]rowModel, len(list))
	for i, row := range list {
		models[i].fromRow(row)
	}
	resp.Error = resp.Result.Set(ctx, models)
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

func (m *rowModel) fromRow(row rows.Row) {
	m.Line = types.Int64Value(int64(row.Line))
	m.IdentityID = types.StringValue(row.Identity)
	m.Manual = types.BoolValue(row.Manual)
	for i, clause := range []*types.Bool{&m.Clause1, &m.Clause2, &m.Clause3, &m.Clause4, &m.Clause5} {
		*clause = types.BoolValue(row.Clauses[i])
	}

	if row.Address.IsValid() {
		m.UserIPv6 = types.StringValue(row.Address.Unmap().String())
	}
	if row.Agreed != 0 {
		m.AgreementTime = types.StringValue(client.FormatInstant(row.AgreedAt()))
	}
}
