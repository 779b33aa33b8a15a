// SPDX-License-Identifier: MPL-2.0

// Command bareloop exports one day as a careful engineer would write it for one shape of the answer:
// it is what make bench measures the provider against. Its arguments are the address, the shape and
// the file.
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

// depths has how many arrays and objects enclose a record, by the shape of the answer.
var depths = map[string]int{"ndjson": 0, "array": 1, "object": 2}

func main() {
	if err := export(os.Args[1], depths[os.Args[2]], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func export(address string, depth int, path string) error {
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
	if err := copyRecords(out, jsontext.NewDecoder(resp.Body), depth); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	_, err = fmt.Printf("%x\n", sum.Sum(nil))

	return err
}

// copyRecords writes each object at a depth as a line.
func copyRecords(out *bufio.Writer, dec *jsontext.Decoder, depth int) error {
	for {
		if dec.StackDepth() != depth || dec.PeekKind() != '{' {
			if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			continue
		}

		record, err := dec.ReadValue()
		if err != nil {
			return err
		}
		_, _ = out.Write(record) // Flush reports an error
		_ = out.WriteByte('\n')
	}
}
