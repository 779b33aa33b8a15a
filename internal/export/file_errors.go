package export

import (
	"errors"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// addError reports why there are no new files.
func (e *fileExport) addError(err error, m *fileModel, outputs []output, diags *diag.Diagnostics) {
	if _, ok := errors.AsType[*client.Error](err); ok {
		tfkit.AddError(diags, err, e.inState)
		return
	}

	which := "The file"
	if target, ok := errors.AsType[*outfile.TargetError](err); ok && m.split() {
		which = "The file of " + outputs[target.Target].name
	}
	add := func(attribute, summary, happened, advice string) {
		diags.AddAttributeError(path.Root(attribute), summary, happened+"\n\nIn state now: "+e.inState+".\nWhat to do: "+advice)
	}

	if errors.Is(err, errTooMuch) {
		add("max_bytes", "The day is larger than max_bytes",
			"The export would be larger than "+strconv.FormatInt(m.MaxBytes.ValueInt64(), 10)+" bytes; what was written of it is removed.",
			"raise max_bytes, ask for fewer kinds, or compress the file.")
		return
	}
	if errors.Is(err, outfile.ErrPartial) {
		add("path", "The files could not all be replaced",
			which+" could not be put in its place, and the file system did not allow to take back those before it: "+err.Error()+".",
			"remove the cause and apply again, which exports the day once more and replaces all files.")
		return
	}
	if errors.Is(err, outfile.ErrExists) {
		add("path", "There is a file already",
			which+" would replace one that this object did not write; it is left as it is. It may belong to another object.",
			"choose another path, remove the file, or set overwrite = true where it may be replaced.")
		return
	}
	if errors.Is(err, outfile.ErrInUse) {
		add("path", "Two objects with one file",
			"Another object of this run has written a file at this path. Nothing was asked of the service.",
			"give each object a path of its own.")
		return
	}
	if errors.Is(err, outfile.ErrBusy) {
		add("path", "Two writers with one file",
			which+" cannot be written: "+err.Error()+". Nothing was asked of the service.",
			"give each object a path of its own, also in other workspaces and under other provider configurations; or apply again when the other run has ended.")
		return
	}
	if errors.Is(err, outfile.ErrNoFolder) {
		add("path", "The folder does not exist",
			which+" cannot be written: "+err.Error()+". Nothing was asked of the service.",
			"create the folder, correct path, or set create_directories = true.")
		return
	}
	if errors.Is(err, outfile.ErrNoSpace) {
		add("path", "The disk is full",
			which+" could not be written to its end: "+err.Error()+". What was written of it is removed.",
			"free space on the disk of path, choose a path on another one, or compress the file.")
		return
	}
	add("path", "The file could not be written", which+" could not be written. The reason: "+err.Error()+".",
		"correct path, or what is at that path, and apply again.")
}

func addNoExport(diags *diag.Diagnostics) {
	diags.AddError("No export for accounts",
		"The export does not exist in the older account path family, which account_id selects.\n\nWhat to do: set org_id and project_id, in this object or in the provider block.")
}

func addUnreadable(err error, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("path"), "The file cannot be read",
		"The reason: "+err.Error()+".\n\nIn state now: "+tfkit.PriorKept+".\nWhat to do: make the file readable for the user that runs Terraform.")
}

func addNotRemoved(err error, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("path"), "The file could not be removed",
		"The reason: "+err.Error()+".\n\nIn state now: "+tfkit.PriorKept+".\nWhat to do: remove the cause and destroy again, or remove the file yourself and destroy then.")
}

func warnUnknown(counts records.Counts, diags *diag.Diagnostics) {
	if n := counts.Of(records.Unknown); n > 0 {
		diags.AddWarning("Records of unknown kind",
			"The answer does not tell the kind of "+strconv.FormatInt(n, 10)+" records. They are exported all the same, and counted as unknown.\n\nWhat to do: nothing, or set wire.export_kind_parameter in the provider block where your service selects the kind by a parameter.")
	}
}

func warnNotRegular(diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("path"), "There is something else at path",
		"What is at path is no regular file any more. The plan exports the day again, and its apply refuses to replace what is there.\n\nWhat to do: move away what is at path, or choose another path.")
}

func warnAltered(diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("path"), "The file is another one",
		"What is at path is not what this object wrote there. The plan therefore exports the day again and replaces the file.\n\nWhat to do: nothing, or move the altered file away, or take the object out of the configuration: destroying it leaves an altered file where it is.")
}

func warnMissing(diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("path"), "A file is missing",
		"Some of the files of this object are not there any more. The plan therefore exports the day again and replaces all of them.\n\nWhat to do: nothing, or put the files back.")
}

func warnStays(diags *diag.Diagnostics) {
	diags.AddWarning("The file stays",
		"What is at path is not what this object wrote there, so it is left as it is; it may hold personal data. Delete it yourself where it is not needed any more.")
}

func warnOldStays(diags *diag.Diagnostics, reason string) {
	diags.AddAttributeWarning(path.Root("path"), "The old file stays",
		"The day is in its new place. A file that this object wrote before stays where it is, because "+reason+". It holds personal data, and no object manages it any more.\n\nWhat to do: delete it yourself where it is not needed any more.")
}
