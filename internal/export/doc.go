// Package export implements the export of one UTC day: the data source analytics_export
// for small days, in data_source*.go, and the resource analytics_export_file for days of
// any size, in file_*.go.
//
// Both hand a sink to client.Export, which calls it for each record. The textSink of the
// data source keeps the records. The fileSink of the resource writes them to lineFiles,
// which compress beside the reading.
//
// The resource is spread over the steps of its life: file_export.go writes the files,
// file_verify.go compares them with what was written, and file_model.go maps both to
// attributes.
package export
