package export

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Schema describes the resource.
func (r *fileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	counts := map[string]schema.Attribute{}
	for name, description := range countDescriptions {
		counts[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The records of one UTC day in files, as NDJSON (one JSON text to a line), whatever the size of the day: records pass through in constant memory, and none of them is in plan, state or log.\n\n" +
			"There is one file for all kinds, or one for each where `path` contains `{kind}`. Files have mode 0600 and appear as a whole or not at all; an export that breaks off begins again or fails, and is never a short file. While one is written, a lock file `.analytics-*.lock` beside it keeps other objects, provider configurations and processes from the same path. " +
			"A refresh plans a missing file to be created and an altered one to be written again, so state and files belong on the same machine.\n\n" +
			"Destroying the object removes the files that it wrote, and only those: a file that was altered since stays, with a warning. `on_destroy = \"retain\"` keeps them all. There is no import.\n\n" +
			"The service documents neither the shape of an export nor how a kind is selected. An array, lines and objects of arrays are understood; the provider block's `wire.export_kind_parameter` has one request sent for each kind. In the older account path family there is no export.",
		Attributes: tfkit.AddKeptScope(map[string]schema.Attribute{
			"utc_date": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{dayValidator{}},
				MarkdownDescription: dayDescription + " The current day is refused unless `allow_incomplete_day` is set. A change writes the files anew, in place.",
			},
			"kinds": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: kindsValidators(),
				MarkdownDescription: kindsDescription + " A change writes the files anew, in place.",
			},
			"path": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Path of the file; a relative one begins where Terraform runs. With `{kind}` in it, in the name or in a folder, there is one file for each kind, and `{kind}` stands for `persons`, `sessions`, `events` and, where there are such records, `unknown`: the answer is read once, and a kind without records is an empty file. " +
					"Folders, symbolic links and devices are refused, and so is a file that this object did not write, unless `overwrite` is set. Two objects with one path are an error. " +
					"A change writes the day to the new path first and removes the old file then, if it is still the one that was written.",
			},
			"compression": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(uncompressed),
				Validators:          []validator.String{stringvalidator.OneOf(uncompressed, gzipped, zstandard)},
				MarkdownDescription: "Compression of the files: `none` (default), `gzip` or `zstd`. The name in `path` stays as it is. A change writes the files anew, in place.",
			},
			"with_kind": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Whether each line says the kind of its record: `{\"kind\":\"event\",\"record\":{…}}`, with `person`, `session`, `event` or `unknown`. Defaults to `true`, and to `false` where `path` contains `{kind}`. With `false` a line is the record alone, as the service gave it, which needs `{kind}` in `path` or exactly one kind in `kinds`; in the latter case records of unknown kind are among them, and counted. A change writes the files anew, in place.",
			},
			"max_bytes": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "Largest size of all files of the object together in bytes, after compression; at least 1. A day that is larger is an error and leaves the old files as they were. By default only the disk is a limit, of which 64 MiB are left free.",
			},
			"overwrite": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether a file that is there already, and that this object did not write, may be replaced when the object is created or `path` changes. It does not allow two objects with one path. Defaults to `false`.",
			},
			"create_directories": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether missing folders of `path` are created, with mode 0700. They stay when the object is destroyed; those of an export that fails are removed. Defaults to `false`: a missing folder is an error.",
			},
			"allow_incomplete_day": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the current UTC day may be exported, with a warning. It is exported again once it is over. Defaults to `false`.",
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Any values; when they change, the day is exported again, in place: the old files stay until the new ones are complete. This is the way to fetch late records, since `-replace` removes the files first.",
			},
			"verify": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(verifyStat),
				Validators:          []validator.String{stringvalidator.OneOf(verifyStat, verifyDigest)},
				MarkdownDescription: "How a refresh compares the files with what was written: `stat` (default) trusts a file whose size, modification time and inode are as they were, and hashes it otherwise; `digest` hashes every file each time. A file that was altered and given its old size and time again is noticed by `digest` alone.",
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(destroyRemoves),
				Validators:          []validator.String{stringvalidator.OneOf(destroyRemoves, destroyRetains)},
				MarkdownDescription: "What happens to the files when the object is destroyed: `remove` (default) removes those that are still as they were written; `retain` leaves them all, for days that leave a sliding window. With `retain` the old file also stays when `path` changes, with a warning.",
			},
			"complete": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the day was over when it was exported. Null where it was not and is now, so that it is exported again."},
			"sha256":   schema.StringAttribute{Computed: true, MarkdownDescription: "SHA-256 of the file, in hexadecimal. With `{kind}` in `path`, the SHA-256 of a text with one line `<sha256>  <kind>` for each file, in the order persons, sessions, events, unknown. Null where a refresh found another file."},
			"bytes":    schema.Int64Attribute{Computed: true, MarkdownDescription: "Size of all files together in bytes. Null where a refresh found another file."},
			"counts":   schema.SingleNestedAttribute{Computed: true, Attributes: counts, MarkdownDescription: countsDescription},
			"invalid_utf8_records": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "Number of records in which bytes that are not valid UTF-8 were replaced. Always 0 unless `wire.export_invalid_utf8` of the provider block is `replace`.",
			},
			"paths": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Paths of the files by kind (`persons`, `sessions`, `events`, `unknown`), where `path` contains `{kind}`. Null otherwise.",
			},
			"sha256_by_kind": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "SHA-256 of the files by kind, in hexadecimal, as they were written. Null where `path` does not contain `{kind}`.",
			},
			"bytes_by_kind": schema.MapAttribute{
				Computed: true, ElementType: types.Int64Type,
				MarkdownDescription: "Sizes of the files by kind, in bytes, as they were written. Null where `path` does not contain `{kind}`.",
			},
		}),
	}
}
