// SPDX-License-Identifier: MPL-2.0

// Command bareloop exports one day as a careful engineer would write it for one shape: it is what
// bench measures the provider against. Its arguments are the address, the shape and the file.
package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/go-json-experiment/json/jsontext"
)

func main() {
	if err := export(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func export(address, shape, path string) error {
	resp, err := http.Get(address) //nolint:gosec,noctx,forbidigo // as a small program does
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}

	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)
	if err := records(jsontext.NewDecoder(resp.Body), shape, out); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	_, err = fmt.Printf("%x\n", sum.Sum(nil))

	return err
}

// records writes the records of a day as lines: those of an object of arrays, of an array, or lines.
func records(dec *jsontext.Decoder, shape string, out *bufio.Writer) error {
	switch shape {
	case "ndjson":
		return lines(dec, out)
	case "array":
		return array(dec, out)
	}

	if _, err := dec.ReadToken(); err != nil { // {
		return err
	}

	for dec.PeekKind() == '"' {
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		if err := array(dec, out); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()

	return err
}

func array(dec *jsontext.Decoder, out *bufio.Writer) error {
	if _, err := dec.ReadToken(); err != nil { // [
		return err
	}

	for dec.PeekKind() == '{' {
		if err := line(dec, out); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()

	return err
}

func lines(dec *jsontext.Decoder, out *bufio.Writer) error {
	for {
		if err := line(dec, out); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func line(dec *jsontext.Decoder, out *bufio.Writer) error {
	record, err := dec.ReadValue()
	if err != nil {
		return err
	}
	_, _ = out.Write(record) // Flush reports an error
	return out.WriteByte('\n')
}
