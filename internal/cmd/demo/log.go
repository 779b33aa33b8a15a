package main

import (
	"fmt"
	"net/http"
	"strings"
)

// logEntry is the part of a line of the server's request log that is counted.
type logEntry struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Status int    `json:"status"`
}

// What a request was for, in words that a reader knows.
const (
	kindLogin = "login"
	kindRead  = "read"
	kindWrite = "write"
	kindOther = "other"
)

// kind names what a request was for.
func (e logEntry) kind() string {
	switch {
	case strings.HasSuffix(e.Path, "/auth/login/jwt"):
		return kindLogin
	case strings.HasSuffix(e.Path, "/consent") && e.Method == http.MethodGet:
		return kindRead
	case strings.HasSuffix(e.Path, "/consent") && e.Method == http.MethodPatch:
		return kindWrite
	}
	return kindOther
}

// kinds is the order in which requests are told.
var kinds = []string{kindLogin, kindRead, kindWrite, kindOther}

// count tells how many requests of which kind there were, such as
// "4 requests (1 login, 3 writes)".
func count(entries []logEntry) string {
	if len(entries) == 0 {
		return "no request"
	}
	times := map[string]int{}
	for _, e := range entries {
		times[e.kind()]++
	}
	var parts []string
	for _, kind := range kinds {
		if times[kind] > 0 {
			parts = append(parts, plural(times[kind], kind))
		}
	}
	return fmt.Sprintf("%s (%s)", plural(len(entries), "request"), strings.Join(parts, ", "))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// writes counts the requests that changed something.
func writes(entries []logEntry) int {
	n := 0
	for _, e := range entries {
		if e.Method != http.MethodGet && e.kind() != kindLogin {
			n++
		}
	}
	return n
}
