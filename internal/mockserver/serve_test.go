// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestConnections_areCounted(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.withKey(http.MethodGet, "/v1/user/self", "")
	s.withKey(http.MethodGet, "/v1/user/self", "")

	if s.Connections() != 1 {
		t.Errorf("%d connections for a client that keeps its one", s.Connections())
	}

	s.client.CloseIdleConnections()
	s.withKey(http.MethodGet, "/v1/user/self", "")

	if s.Connections() != 2 {
		t.Errorf("%d connections", s.Connections())
	}
}

func TestStop_closesTheConnections(t *testing.T) {
	t.Parallel()

	server := &mockserver.Server{}
	listening, err := server.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	address := strings.TrimPrefix(listening.URL, "http://")
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	if _, err := conn.Write([]byte("GET /v1/user/self HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}

	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}

	resp.Body.Close()
	for range 2 {
		if err := listening.Stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
	}

	<-listening.Done()
	if _, err := reader.ReadByte(); err == nil {
		t.Error("the connection is still there")
	}

	if again, err := dialer.DialContext(t.Context(), "tcp", address); err == nil {
		again.Close()
		t.Error("somebody still listens")
	}
}

func TestStop_returnsTheErrorOfTheListener(t *testing.T) {
	t.Parallel()

	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	listening := new(mockserver.Server).Serve(l, nil)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	<-listening.Done()
	if err := listening.Stop(); err == nil {
		t.Error("no error")
	}
}

func TestListen_foreignAddressIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := new(mockserver.Server).Listen(t.Context(), "192.0.2.1:0"); err == nil {
		t.Error("no error")
	}
}
