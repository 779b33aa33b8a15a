package export

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// What the attributes of a dayModel have in common wherever they are declared.

const (
	filesDescription = "The day can have any size: records pass through in constant memory, and none of them is stored in plan, state or log. " +
		"There is one file for all kinds, or one for each kind if `path` contains `{kind}`. Files have mode 0600 and appear as a whole or not at all; an export that is cut off starts again or fails, and never leaves a short file. While a file is written, `.analytics-*.tmp` beside it holds its content, and keeps other processes from the same path."

	shapeDescription = "The service documents neither the shape of an export nor how to select a kind. The provider understands an array, lines, and objects of arrays; `wire.export_kind_parameter` of the provider block makes it send one request for each kind. The older account path family has no export."

	pathDescription = "Path of the file. A relative path begins in the directory in which Terraform runs. If it contains `{kind}`, in the name or in a directory, there is one file for each kind, and `{kind}` is replaced by `persons`, `sessions`, `events` and, if there are such records, `unknown`. The answer is read once, and a kind without records is an empty file."

	compressionDescription = "Compression of the files: `none` (default), `gzip` or `zstd`. It does not change the name in `path`."

	withKindDescription = "Whether each line contains the kind of its record: `{\"kind\":\"event\",\"record\":{…}}`, with `person`, `session`, `event` or `unknown`. Defaults to `true`, or to `false` if `path` contains `{kind}`. With `false`, a line is the record alone, as the service sent it. This requires `{kind}` in `path` or exactly one kind in `kinds`; in the latter case the file also holds records of unknown kind, which are counted."

	// inPlaceDescription ends the description of an attribute of the resource.
	inPlaceDescription = " Changing this writes the files again, in place."
)

func pathValidators() []validator.String {
	return []validator.String{stringvalidator.LengthAtLeast(1)}
}

func compressionValidators() []validator.String {
	return []validator.String{stringvalidator.OneOf(uncompressed, gzipped, zstandard)}
}

func maxBytesValidators() []validator.Int64 {
	return []validator.Int64{int64validator.AtLeast(1)}
}
