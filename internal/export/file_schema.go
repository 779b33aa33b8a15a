// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

func (r *fileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	counts := map[string]schema.Attribute{}
	for name, description := range countDescriptions {
		counts[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes the records of one UTC day of any size to NDJSON files, and none of them to plan or state.",

		Attributes: tfkit.AddScope(tfkit.TextAttribute.Resource, map[string]schema.Attribute{
			"utc_date": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{formats.Day},
				MarkdownDescription: dayDescription + " The current day needs `allow_incomplete_day`." + inPlaceDescription,
			},
			"kinds": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: kindsValidators,
				MarkdownDescription: kindsDescription + inPlaceDescription,
			},

			"path": schema.StringAttribute{
				Required:            true,
				Validators:          pathValidators,
				MarkdownDescription: pathDescription + " Changing it writes the new files before it removes the old ones.",
			},

			"compression": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(uncompressed),
				Validators:          compressionValidators,
				MarkdownDescription: compressionDescription + inPlaceDescription,
			},
			"with_kind": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: withKindDescription + inPlaceDescription,
			},

			"max_bytes": schema.Int64Attribute{
				Optional:            true,
				Validators:          maxBytesValidators,
				MarkdownDescription: "Maximum size of all files together, in bytes after compression. A larger day is an error and leaves the old files.",
			},

			"overwrite": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether a file at `path` that this resource did not write may be replaced. Defaults to `false`.",
			},
			"create_directories": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to create missing directories of `path`, with mode 0700. Defaults to `false`.",
			},

			"allow_incomplete_day": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the current UTC day may be exported. It is exported again once it is over. Defaults to `false`.",
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Arbitrary values. Changing them exports the day again, for example for late records; the old files stay until then.",
			},

			"verify": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(verifyStat),
				Validators:          []validator.String{stringvalidator.OneOf(verifyStat, verifyDigest)},
				MarkdownDescription: "How a refresh checks the files: `stat` (default) by size, time and inode; `digest` by their content each time.",
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(destroyRemoves),
				Validators:          []validator.String{stringvalidator.OneOf(destroyRemoves, destroyRetains)},
				MarkdownDescription: "What a destroy does: `remove` (default) removes the files that are still as written; `retain` leaves all of them.",
			},

			"complete":             schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the day was over when it was exported. Null once a day that was not over has to be exported again."},
			"sha256":               schema.StringAttribute{Computed: true, MarkdownDescription: "SHA-256 of the file, in hexadecimal. With several files, that of the list of theirs. Null if a refresh found another file."},
			"bytes":                schema.Int64Attribute{Computed: true, MarkdownDescription: "Size of all files together in bytes. Null if a refresh found another file."},
			"counts":               schema.SingleNestedAttribute{Computed: true, Attributes: counts, MarkdownDescription: countsDescription},
			"invalid_utf8_records": schema.Int64Attribute{Computed: true, MarkdownDescription: invalidUTF8Description},

			"files": schema.MapNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The files by kind, as they were written. Null unless `path` contains `{kind}`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"path":    schema.StringAttribute{Computed: true, MarkdownDescription: "Path of the file."},
					"sha256":  schema.StringAttribute{Computed: true, MarkdownDescription: "SHA-256 of the file, in hexadecimal."},
					"bytes":   schema.Int64Attribute{Computed: true, MarkdownDescription: "Size of the file in bytes."},
					"records": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of records in the file."},
				}},
			},
		}),
	}
}
