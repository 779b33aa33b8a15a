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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

func (r *fileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	counts := map[string]schema.Attribute{}
	for name, description := range countDescriptions {
		counts[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes the records of one UTC day to files, as NDJSON (one JSON text per line). " + filesDescription + "\n\n" +
			"After a refresh, the plan creates a missing file and writes an altered one again, so state and files belong on the same machine.\n\n" +
			"Destroying the object removes the files that it wrote, and only those: a file that was altered since stays, with a warning. `on_destroy = \"retain\"` keeps all files. There is no import.\n\n" +
			shapeDescription,

		Attributes: tfkit.AddKeptScope(map[string]schema.Attribute{
			"utc_date": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{tfkit.Day()},
				MarkdownDescription: dayDescription + " The current day is refused unless `allow_incomplete_day` is set." + inPlaceDescription,
			},
			"kinds": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: kindsValidators(),
				MarkdownDescription: kindsDescription + inPlaceDescription,
			},

			"path": schema.StringAttribute{
				Required:   true,
				Validators: pathValidators(),
				MarkdownDescription: pathDescription + " " +
					"Directories, symbolic links and devices are refused, and so is a file that this object did not write, unless `overwrite` is set. It is an error if two objects use one path. " +
					"Changing this writes the day to the new path first, and then removes the old file if it is still as it was written.",
			},

			"compression": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(uncompressed),
				Validators:          compressionValidators(),
				MarkdownDescription: compressionDescription + inPlaceDescription,
			},
			"with_kind": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: withKindDescription + inPlaceDescription,
			},

			"max_bytes": schema.Int64Attribute{
				Optional:            true,
				Validators:          maxBytesValidators(),
				MarkdownDescription: "Maximum size of all files of the object together, in bytes, after compression; at least 1. A larger day is an error and leaves the old files as they were.",
			},

			"overwrite": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether an existing file that this object did not write may be replaced when the object is created or `path` changes. It does not allow two objects to use one path. Defaults to `false`.",
			},
			"create_directories": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to create missing directories of `path`, with mode 0700. They stay when the object is destroyed; those of an export that fails are removed. Defaults to `false`: a missing directory is an error.",
			},

			"allow_incomplete_day": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the current UTC day may be exported, with a warning. It is exported again when it is over. Defaults to `false`.",
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Arbitrary values. Changing them exports the day again, in place: the old files stay until the new ones are complete. Use this to fetch late records, because `-replace` removes the files first.",
			},

			"verify": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(verifyStat),
				Validators:          []validator.String{stringvalidator.OneOf(verifyStat, verifyDigest)},
				MarkdownDescription: "How a refresh compares the files with what was written: `stat` (default) trusts a file whose size, modification time and inode are unchanged, and hashes it otherwise; `digest` hashes every file each time. Only `digest` detects a file that was altered and then given its old size and time.",
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(destroyRemoves),
				Validators:          []validator.String{stringvalidator.OneOf(destroyRemoves, destroyRetains)},
				MarkdownDescription: "What destroying the object does to the files: `remove` (default) removes those that are still as they were written; `retain` leaves all of them, for days that leave a sliding window. With `retain`, the old file also stays when `path` changes, with a warning.",
			},

			"complete":             schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the day was over when it was exported. Null if it was not and is over now, so that it is exported again."},
			"sha256":               schema.StringAttribute{Computed: true, MarkdownDescription: "SHA-256 digest of the file, in hexadecimal. With `{kind}` in `path`, the digest of a text with one line `<sha256>  <kind>` for each file, in the order persons, sessions, events, unknown. Null if a refresh found another file."},
			"bytes":                schema.Int64Attribute{Computed: true, MarkdownDescription: "Size of all files together in bytes. Null if a refresh found another file."},
			"counts":               schema.SingleNestedAttribute{Computed: true, Attributes: counts, MarkdownDescription: countsDescription},
			"invalid_utf8_records": schema.Int64Attribute{Computed: true, MarkdownDescription: invalidUTF8Description},

			"files": schema.MapNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The files by kind (`persons`, `sessions`, `events`, `unknown`), as they were written. Null unless `path` contains `{kind}`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"path":    schema.StringAttribute{Computed: true, MarkdownDescription: "Path of the file."},
					"sha256":  schema.StringAttribute{Computed: true, MarkdownDescription: "SHA-256 digest of the file, in hexadecimal."},
					"bytes":   schema.Int64Attribute{Computed: true, MarkdownDescription: "Size of the file in bytes."},
					"records": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of records in the file."},
				}},
			},
		}),
	}
}
