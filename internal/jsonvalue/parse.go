package jsonvalue

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrTrailing is the error of a document with something behind its JSON value.
var ErrTrailing = errors.New("there is something behind the JSON value")

// Parse returns the one JSON value that a document consists of: valid UTF-8, no name
// twice in an object, and nothing but white space around it. The error is
// io.ErrUnexpectedEOF where the document ends too early, an empty one included, and
// ErrTrailing where it goes on.
func Parse(document []byte) (jsontext.Value, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(document))

	v, err := decoder.ReadValue()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}

	v = v.Clone() // the decoder owns it until it reads on
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, ErrTrailing
	}

	return v, nil
}

// DescribeSyntax returns what is wrong with JSON, and where, without quoting any of it.
// err is an error of Parse or of a jsontext.Decoder.
func DescribeSyntax(err error) string {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err.Error()
	}

	where := " at byte " + strconv.FormatInt(syntactic.ByteOffset, 10)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return "the JSON has a name twice in one object," + where
	}

	return "the JSON is not valid" + where
}
