// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// served is a server with a handler behind a validator.
type served struct {
	*httptest.Server
	mu         sync.Mutex
	violations []string
}

func serve(t *testing.T, handler http.HandlerFunc) *served {
	t.Helper()

	v, err := usual()
	if err != nil {
		t.Fatal(err)
	}

	s := &served{}
	s.Server = httptest.NewServer(v.Wrap(handler, func(text string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.violations = append(s.violations, text)
	}))

	t.Cleanup(s.Close)

	return s
}

// received is a response as the client received it.
type received struct {
	status int
	header http.Header
	body   string
}

func (s *served) send(ctx context.Context, t *testing.T, method, target, body string) (received, error) {
	t.Helper()

	req, err := http.NewRequestWithContext(ctx, method, s.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	req.Header = withBody(mediaJSON, bearerHeader())
	resp, err := s.Client().Do(req)
	if err != nil {
		return received{}, err
	}
	defer resp.Body.Close()

	got, err := io.ReadAll(resp.Body)

	return received{resp.StatusCode, resp.Header, string(got)}, err
}

func (s *served) expect(t *testing.T, want ...string) {
	t.Helper()
	s.Close()
	if !slices.Equal(s.violations, want) {
		t.Errorf("violations %q, want %q", s.violations, want)
	}
}

func TestWrap_handlerReadsTheBodyThatWasSent(t *testing.T) {
	t.Parallel()

	const body = `{"name": "Jo"}`
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, err := io.ReadAll(r.Body)
		if string(got) != body || err != nil || r.ContentLength != int64(len(body)) {
			t.Errorf("read %q, %v with length %d", got, err, r.ContentLength)
		}
		answer(http.StatusAccepted, mediaJSON, `{"id":"1"}`)(w, r)
	})

	got, err := s.send(t.Context(), t, "PATCH", person+"/profile", body)
	if err != nil || got.body != `{"id":"1"}` || got.status != http.StatusAccepted {
		t.Errorf("answer %q, %v", got.body, err)
	}

	s.expect(t)
}

func TestWrap_handlerReadsTheErrorAtWhichTheClientStopped(t *testing.T) {
	t.Parallel()

	stopped := errors.New("stopped")
	v, err := usual()
	if err != nil {
		t.Fatal(err)
	}

	for _, target := range []string{"/profile", "/consent"} {
		for _, part := range []string{"", `{"a`} {
			r := httptest.NewRequestWithContext(t.Context(), "PATCH", person+target, io.MultiReader(strings.NewReader(part), failing{stopped}))
			r.Header = withBody(mediaJSON, bearerHeader())
			v.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if got, err := io.ReadAll(r.Body); string(got) != part || !errors.Is(err, stopped) {
					t.Errorf("read %q, %v", got, err)
				}
			}), func(text string) { t.Error(text) }).ServeHTTP(httptest.NewRecorder(), r)
		}
	}
}

func TestWrap_violationsDoNotChangeWhatTheClientSees(t *testing.T) {
	t.Parallel()

	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Test", "kept")
		answer(http.StatusTeapot, "text/html", "<p>"+r.URL.RawQuery)(w, r)
	})

	got, err := s.send(t.Context(), t, "GET", person+"/consent?x=1", "")
	if err != nil || got.body != "<p>x=1" || got.status != http.StatusTeapot || got.header.Get("X-Test") != "kept" {
		t.Errorf("answer %q, %v", got.body, err)
	}

	s.expect(t,
		getConsent+"query: parameters that the operation does not declare: 1 (section 4)",
		getConsent+"response: its Content-Type is missing or not one that the operation declares (section 4)")
}

func TestWrap_abortedResponseIsNotValidated(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answer(http.StatusOK, "text/html", "<html>")(w, r)
		panic(http.ErrAbortHandler)
	})
	if _, err := s.send(t.Context(), t, "GET", person+"/consent", ""); err == nil {
		t.Error("the client does not see that the response was aborted")
	}
	s.expect(t)
}

func TestWrap_hijackedConnectionBelongsToTheHandler(t *testing.T) {
	t.Parallel()

	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		hijacker, ok := w.(http.Hijacker)
		if !ok {
			t.Error("the connection cannot be hijacked")
			return
		}

		conn, _, err := hijacker.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()

		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut")
	})

	if got, err := s.send(t.Context(), t, "GET", "/v1/user/self", ""); got.body != "cut" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("answer %q, %v", got.body, err)
	}

	s.expect(t)
}

func TestWrap_impossibleHijackIsAnError(t *testing.T) {
	t.Parallel()
	rec := &recorder{ResponseWriter: httptest.NewRecorder()}
	if _, _, err := rec.Hijack(); !errors.Is(err, http.ErrNotSupported) || rec.hijacked {
		t.Errorf("Hijack: %v", err)
	}
}

func TestWrap_flushedPartsArriveWhileTheHandlerRuns(t *testing.T) {
	t.Parallel()

	seen := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaJSON)

		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}

		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Error(err)
		}

		select {
		case <-seen:
		case <-r.Context().Done():
		}

		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "[]")
	})

	conn, reader := dial(t, s)
	fmt.Fprint(conn, "GET "+person+"/consent HTTP/1.1\r\nHost: x\r\nAuthorization: bearer "+token+"\r\nConnection: close\r\n\r\n")

	if line, err := reader.ReadString('\n'); line != "HTTP/1.1 200 OK\r\n" || err != nil {
		t.Errorf("first line %q, %v", line, err)
	}

	close(seen)
	if rest, err := io.ReadAll(reader); !strings.Contains(string(rest), "[]") || err != nil {
		t.Errorf("the rest is %q, %v", rest, err)
	}

	conn.Close()
	s.expect(t)
}

func dial(t *testing.T, s *served) (net.Conn, *bufio.Reader) {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, bufio.NewReader(conn)
}

func TestWrap_prefixRemovedFromThePathIsNotValidated(t *testing.T) {
	t.Parallel()
	v, err := usual()
	if err != nil {
		t.Fatal(err)
	}
	handler := http.StripPrefix("/a@b", v.Wrap(answer(200, mediaJSON, "{}"), func(text string) { t.Error(text) }))
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/a@b"+person+"/consent", nil)
	r.Header = bearerHeader()
	handler.ServeHTTP(httptest.NewRecorder(), r)
}

func TestWrap_informationalResponsesPass(t *testing.T) {
	t.Parallel()

	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		answer(http.StatusOK, mediaJSON, "{}")(w, r)
	})

	hints := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error { hints++; return nil },
	})

	if got, err := s.send(ctx, t, "GET", person+"/consent", ""); err != nil || got.status != http.StatusOK || hints != 1 {
		t.Errorf("%v after %d informational responses", err, hints)
	}

	s.expect(t)
}

func TestWrap_largeResponseIsNotKept(t *testing.T) {
	t.Parallel()
	inner := httptest.NewRecorder()
	rec := &recorder{ResponseWriter: inner}
	part := strings.Repeat("x", LimitBody/2)
	for range 4 {
		fmt.Fprint(rec, part)
	}
	if !rec.partial || rec.body.Cap() != 0 || inner.Body.Len() != 4*len(part) {
		t.Errorf("%d bytes are kept of %d that went out", rec.body.Cap(), inner.Body.Len())
	}
}

// broken is a ResponseWriter whose client has gone.
type broken struct{ http.ResponseWriter }

func (broken) Write(p []byte) (int, error) { return len(p) / 2, net.ErrClosed }

func TestWrap_responseWithoutAWaitingClientIsNotValidated(t *testing.T) {
	t.Parallel()
	v, err := usual()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", person+"/consent", nil)
	r.Header = bearerHeader()
	v.Wrap(answer(200, mediaJSON, `{"a":1}`), func(text string) { t.Error(text) }).ServeHTTP(broken{httptest.NewRecorder()}, r)
}

func TestWrap_handlerThatStopsWithItsClientIsNotValidated(t *testing.T) {
	t.Parallel()

	arrived := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()

	if _, err := s.send(ctx, t, "GET", "/v1/user/self", ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}

	s.expect(t)
}

func TestWrap_concurrentRequests(t *testing.T) {
	t.Parallel()

	s := serve(t, answer(http.StatusOK, mediaJSON, "{}"))
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if _, err := s.send(t.Context(), t, "PATCH", person+"/profile", "{}"); err != nil {
				t.Error(err)
			}
		})
	}

	group.Wait()
	s.expect(t)
}
