// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// Certificate chooses the certificate of a server.
type Certificate string

// Certificates. Each is its own authority.
const (
	Valid     Certificate = "valid"
	Expired   Certificate = "expired"
	WrongName Certificate = "wrongname" // for another host
)

// StartTLS is like Start, over TLS and with HTTP/2. Instance.CAFile and CAPEM are the
// authority to trust.
func StartTLS(t testing.TB, certificate Certificate, configure ...func(*mockserver.Server)) *Instance {
	t.Helper()
	i := prepare(t, configure)

	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "mocktest"},
		NotBefore:    time.Now().Add(-24 * time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IsCA:         true,
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},

		BasicConstraintsValid: true,
	}
	switch certificate {
	case Valid:
	case Expired:
		template.NotAfter = time.Now().Add(-time.Hour)
	case WrongName:
		template.DNSNames, template.IPAddresses = []string{"other.example.com"}, nil
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}

	i.CAPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	i.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(i.CAFile, i.CAPEM, 0o600); err != nil {
		t.Fatal(err)
	}

	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i.run(t, i.Serve(l, &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{signed}, PrivateKey: key}},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2", "http/1.1"},
	}))

	return i
}
