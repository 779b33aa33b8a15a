// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// readingRounds is how often every shape is read.
const readingRounds = 3

// wireShape is an answer in memory, as the service would send it.
type wireShape struct {
	name   string
	answer mockserver.ExportAnswer
	wire   []byte
	size   int // in bytes, without compression

	best time.Duration
}

// reading measures how fast an answer is split and hashed in each shape, on one processor
// and without network, disk or Terraform.
func reading(ctx context.Context, b *bench) (fmt.Stringer, error) {
	shapes := []*wireShape{
		{name: "object of arrays", answer: mockserver.ExportAnswer{Shape: mockserver.ExportObject}},
		{name: "array", answer: mockserver.ExportAnswer{Shape: mockserver.ExportArray}},
		{name: "NDJSON", answer: mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON}},
		{name: "NDJSON without a discriminator", answer: mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Discriminator: "sort"}},
		{name: "object of arrays, gzip", answer: mockserver.ExportAnswer{Shape: mockserver.ExportObject, Encoding: "gzip"}},
	}
	for _, s := range shapes {
		if err := s.fetch(ctx, min(b.records, 200_000)); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}

	for round := range readingRounds {
		b.note("reading every shape, round %d of %d ...", round+1, readingRounds)
		for _, s := range shapes {
			took, err := s.read(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			if s.best == 0 || took < s.best {
				s.best = took
			}
		}
	}

	return readingGrid(shapes), nil
}

// fetch takes the answer from a mock server.
func (s *wireShape) fetch(ctx context.Context, events int) error {
	service := &mockserver.Server{ExportRecords: events, Export: s.answer}
	service.AddSecretKey("bench-key")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/v1/org/org-bench/project/web/export?utcDate="+fullDay+"&apiSecretToken=bench-key", http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "gzip")

	w := httptest.NewRecorder()
	service.ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		return fmt.Errorf("the service answered with status %d", w.Code)
	}

	s.wire = w.Body.Bytes()
	plain, err := s.open()
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, plain)
	s.size = int(n)

	return err
}

func (s *wireShape) open() (io.Reader, error) {
	if s.answer.Encoding == "gzip" {
		return gzip.NewReader(bytes.NewReader(s.wire))
	}
	return bytes.NewReader(s.wire), nil
}

// read splits the answer and hashes its records.
func (s *wireShape) read(ctx context.Context) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))

	plain, err := s.open()
	if err != nil {
		return 0, err
	}

	sum := sha256.New()
	began := time.Now()
	_, err = records.Read(plain, records.Options{RecordMember: s.answer.Discriminator}, func(_ records.Kind, record jsontext.Value) error {
		sum.Write(record)
		return nil
	})

	return time.Since(began), err
}

func readingGrid(shapes []*wireShape) grid {
	g := grid{
		title:  fmt.Sprintf("Splitting and hashing a day, %.0f MB, in memory", float64(shapes[0].size)/1e6),
		head:   []string{"MB/s", "GOMAXPROCS=1"},
		remark: "The best of " + strconv.Itoa(readingRounds) + " rounds, all shapes in turn. Every record is checked by RFC 8259 and hashed with SHA-256.",
	}
	for _, s := range shapes {
		g.rows = append(g.rows, []string{s.name, fmt.Sprintf("%.0f", float64(s.size)/1e6/s.best.Seconds())})
	}

	return g
}
