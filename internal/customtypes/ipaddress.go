package customtypes

import (
	"errors"
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

type (
	// IPAddress is an IPv6 or IPv4 address. An IPv4 address equals the IPv6 address that it
	// is mapped to.
	IPAddress = Text[ipFormat, netip.Addr]
	// IPAddressType is the type of IPAddress.
	IPAddressType = TextType[ipFormat, netip.Addr]
)

// NewIPAddress returns an address from its text.
func NewIPAddress(text string) IPAddress {
	return IPAddress{basetypes.NewStringValue(text)}
}

// ParseIPAddress parses an address by the rules of IPAddress, for values that are not
// attributes. The error completes a sentence about the value and never holds it.
func ParseIPAddress(text string) (netip.Addr, error) { return ipFormat{}.Parse(text) }

type ipFormat struct{}

func (ipFormat) Parse(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return a, errors.New("must be an IPv6 or IPv4 address, such as 2001:db8::1 or 192.0.2.1")
	}

	if a.Zone() != "" {
		return a, errors.New("must be an IP address without a zone")
	}

	return a, nil
}

func (ipFormat) Equal(a, b netip.Addr) bool { return a.Unmap() == b.Unmap() }
