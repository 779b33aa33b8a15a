package client

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ParseBaseURL parses {base_url}: an absolute https address, with an optional port and
// sub-path, without user, query and fragment. Plain http is accepted only for this machine
// (localhost, 127.0.0.0/8, ::1), since credentials and personal data would be readable in
// the network. Errors never repeat the value.
func ParseBaseURL(raw string) (*url.URL, error) {
	if strings.TrimSpace(raw) == "" {
		return nil, errors.New("base_url is empty; it is the address of the service, such as https://analytics.example.com")
	}

	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("base_url is not a valid address; it looks like https://analytics.example.com")
	}
	if err := cmp.Or(checkScheme(u), checkExtras(u, raw), checkHost(u), checkBasePath(u)); err != nil {
		return nil, err
	}

	path := strings.TrimRight(u.EscapedPath(), "/")
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return nil, errors.New("base_url has a path that is not correctly percent-encoded")
	}

	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: decoded, RawPath: path}, nil
}

func checkScheme(u *url.URL) error {
	switch u.Scheme {
	case "https":
		return nil
	case "":
		return errors.New("base_url has no scheme; write https:// in front of the host")
	case "http":
		if isLoopback(u.Hostname()) {
			return nil
		}
		return errors.New("base_url uses plain http to another machine; credentials and personal data would be readable on the way, use https")
	}

	return errors.New("base_url has a scheme other than https")
}

func checkExtras(u *url.URL, raw string) error {
	if u.User != nil {
		return errors.New("base_url contains user information; credentials belong into email and password, token or api_secret_key")
	}
	if u.RawQuery != "" || u.ForceQuery {
		return errors.New("base_url contains a query; give only scheme, host, port and path")
	}
	if u.Fragment != "" || strings.HasSuffix(raw, "#") {
		return errors.New("base_url contains a fragment; give only scheme, host, port and path")
	}
	if u.Opaque != "" {
		return errors.New("base_url is not of the form https://host")
	}

	return nil
}

func checkHost(u *url.URL) error {
	if u.Hostname() == "" {
		return errors.New("base_url has no host")
	}
	if strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return errors.New("base_url has a host with spaces or control characters")
	}
	if strings.HasSuffix(u.Host, ":") {
		return errors.New("base_url has a colon but no port")
	}
	if port := u.Port(); port != "" && !isPort(port) {
		return errors.New("base_url has a port outside 1 to 65535")
	}

	return nil
}

func isPort(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 1 && n <= 65535
}

// checkBasePath returns an error for dot segments: they would move every request, a
// deletion included, to another path than the one written.
func checkBasePath(u *url.URL) error {
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return errors.New("base_url has a path with . or .. segments")
		}
	}
	return nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// hostOf returns the part of an address that may be shown: the host, without user, path
// and query.
func hostOf(u *url.URL) string {
	if host, port, err := net.SplitHostPort(u.Host); err == nil {
		return net.JoinHostPort(escapeText(host, 100), escapeText(port, 10))
	}
	return escapeText(u.Host, 100)
}
