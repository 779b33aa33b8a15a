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

// Certificates. Each is signed by an authority of the instance's own.
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

	authority := newAuthority(t)
	i.CAPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.certificate.Raw})
	i.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(i.CAFile, i.CAPEM, 0o600); err != nil {
		t.Fatal(err)
	}

	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	i.run(t, i.Serve(l, &tls.Config{
		Certificates: []tls.Certificate{authority.issue(t, certificate)},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2", "http/1.1"},
	}))

	return i
}

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{key: newKey(t)}

	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "mocktest authority"},
		NotBefore:             time.Now().Add(-48 * time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}

	a.certificate = template // an authority signs its own certificate
	a.certificate = a.sign(t, template, a.key)

	return a
}

// issue returns a server certificate that is valid or has one flaw.
func (a *authority) issue(t testing.TB, flaw Certificate) tls.Certificate {
	t.Helper()
	key := newKey(t)

	template := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: "mocktest"},
		NotBefore:    time.Now().Add(-24 * time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}

	switch flaw {
	case Valid:
	case Expired:
		template.NotAfter = time.Now().Add(-time.Hour)
	case WrongName:
		template.DNSNames, template.IPAddresses = []string{"other.example.com"}, nil
	default:
		t.Fatalf("no such certificate: %q", flaw)
	}

	return tls.Certificate{Certificate: [][]byte{a.sign(t, template, key).Raw}, PrivateKey: key}
}

func (a *authority) sign(t testing.TB, template *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}

	return signed
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
