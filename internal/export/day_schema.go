// SPDX-License-Identifier: MPL-2.0

package export

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// What the attributes of a dayModel have in common wherever they are declared.

const (
	pathDescription = "Path of the file. With `{kind}` in it, each kind has a file of its own."

	compressionDescription = "Compression of the files: `none` (default), `gzip` or `zstd`. The name in `path` stays as it is."

	withKindDescription = "Whether each line names the kind of its record. If `false`, which requires one kind per file, a line is the record alone."

	// inPlaceDescription ends the description of an attribute of the resource.
	inPlaceDescription = " Changing it writes the files again."
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
