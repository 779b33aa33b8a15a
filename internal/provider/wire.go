// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// wireBlock returns the schema of the block wire. Its groups are blocks too, since Terraform drops
// members of an object that the schema does not have, and refuses them in a block. The names are
// those of client.Wire, which also checks the values.
func wireBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Map of the service, for what the interface description leaves open. `doctor` prints the block that your service needs. Environment variable: `ANALYTICS_WIRE`, the block as JSON.",
		Attributes: map[string]schema.Attribute{
			"envelope": text("JSON Pointer to the content of every answer, such as `/data`. By default, the answer itself is the content."),
			"ignored":  table(types.StringType, "What stands beside the content of an answer and says nothing: JSON Pointers to single values, each with the value expected, or `*` for any, such as `{ \"/success\" = \"true\" }`."),
			"lag":      text("How long any reading may lag behind the service, up to `10m`. Defaults to `" + client.DefaultLag + "`."),
			"absent":   words("Answers that say that there is nothing about a person: " + listOf(client.AbsentForms) + " (a 200 without content). `any_404` is not a page of HTML. Defaults to `json_404`."),
		},
		Blocks: map[string]schema.Block{
			"result": group("What answers with a status of success say of the request, where a service says it by a word or a number.", map[string]schema.Attribute{
				"at":      text("JSON Pointer to the word, such as `/code`."),
				"success": words("Words that say that all is well, such as `[\"0\"]`. A reading with another word is refused."),
				"absent":  words("Words that say that there is nothing about a person, such as `[\"40400\"]`."),
			}),
			"login": group("The login.", map[string]schema.Attribute{
				"parameters_in": choice("Where a login carries e-mail and password.", client.Placements),
			}),
			"consent": group("Consent records.", map[string]schema.Attribute{
				"parameters_in": choice("Where an update carries its fields.", client.Placements),
				"at":            text("JSON Pointer to the record. By default, it is the outermost object with all five clauses."),
				"omits_false":   flag("Whether the record has no clauses that are false. A missing clause is then false. Defaults to `false`."),
				"time_format":   choice("Format in which `agreement_time` is sent. `utc` has no zone.", client.TimeFormats),
				"time_answered": text("Format in which the service answers with `agreement_time`, one of those of `time_format`, which it defaults to. `rfc3339` and `unix_ms` are always read."),
				"time_kept":     choice("How exactly the service keeps `agreement_time`. `service` sets the time itself.", client.TimesKept),
				"altered":       words("Fields that the service does not show as they were sent: " + listOf(client.Alterable) + "."),
			}),
			"profile": group("Profiles.", map[string]schema.Attribute{
				"at": text("JSON Pointer to the profile. An empty one says that the answer itself is the profile, also where it looks like an envelope."),
			}),
			"pending": group("The list of pending requests. `identity`, `id`, `type`, `status` and `created` are JSON Pointers that lead from a record.", map[string]schema.Attribute{
				"at":       text("JSON Pointer to the list. By default, it is the answer itself, or the only array in it."),
				"next":     text("JSON Pointer, from the top of the answer, to the address of the next page. `Link` headers are followed without it."),
				"total":    text("JSON Pointer, from the top of the answer, to the number of all records."),
				"empty":    flag("Whether an answer with nothing in it, such as `{}`, is an empty list. Defaults to `false`."),
				"use":      choice("How the list is used before a request is sent: it must be understood as a whole, what is understood counts as the whole, or it is not read.", client.ListUses),
				"identity": text("JSON Pointer to the person. The usual names are recognised."),
				"id":       text("JSON Pointer to the identifier of the request. The usual names are recognised."),
				"type":     text("JSON Pointer to the operation. The usual names are recognised."),
				"status":   text("JSON Pointer to the status. The usual names are recognised."),
				"created":  text("JSON Pointer to the time of the request. The usual names are recognised."),
				"types":    table(textSet, "Words for the operation, by `data_access`, `data_deletion` and `profile_update`, such as `{ data_deletion = [\"purge\"] }`."),
				"statuses": table(textSet, "Words for the status, by "+listOf(decode.StatusMeanings)+", such as `{ ended = [\"closed\"] }`. An unknown status counts as waiting."),
			}),
			"all_data": group("All data of a person.", map[string]schema.Attribute{
				"at":         text("JSON Pointer to the data. If set, an answer is the data exactly if something is there."),
				"media_type": text("Media type of data that is not JSON, such as `application/zip`. It is written as it comes."),
			}),
			"export": group("Exports. The keys of its maps are `persons`, `sessions` and `events`.", map[string]schema.Attribute{
				"kind_parameter": text("Name of the query parameter that selects the kind of records. By default none is sent."),
				"kind_values":    table(types.StringType, "Values of `kind_parameter`. Defaults to `person`, `session` and `event`."),
				"at":             table(types.StringType, "JSON Pointers to the records of each kind."),
				"kind":           text("JSON Pointer from a record to the word for its kind."),
				"kinds":          table(textSet, "Words for the kinds, which `kind` leads to."),
				"record":         table(types.StringType, "JSON Pointers from a record of each kind to a value that every record has, such as its identifier."),
				"next":           text("JSON Pointer, from the top of the answer, to the address of the next page. `Link` headers are followed without it."),
				"total":          text("JSON Pointer, from the top of the answer, to the number of all records."),
				"lines":          flag("Whether an answer of one object is one record, and not an envelope. Defaults to `false`."),
				"empty":          flag("Whether an answer without content, or with nothing in it, such as `{}`, is a day without records. Defaults to `false`."),
				"invalid_utf8":   choice("What happens to bytes that are not UTF-8: they are an error, or are replaced by U+FFFD.", client.InvalidUses),
			}),
		},
	}
}

// textSet is a set of words.
var textSet = types.SetType{ElemType: types.StringType}

func group(description string, attributes map[string]schema.Attribute) schema.Block {
	return schema.SingleNestedBlock{MarkdownDescription: description, Attributes: attributes}
}

func words(description string) schema.Attribute {
	return schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
}

func table(of attr.Type, description string) schema.Attribute {
	return schema.MapAttribute{Optional: true, ElementType: of, MarkdownDescription: description}
}

// choice returns the attribute of a setting with few values, the first of which is the default.
func choice(description string, accepted []string) schema.Attribute {
	return text(description + " One of " + listOf(accepted) + ". Defaults to `" + accepted[0] + "`.")
}

func listOf(accepted []string) string { return "`" + strings.Join(accepted, "`, `") + "`" }
