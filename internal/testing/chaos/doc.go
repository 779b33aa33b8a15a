// SPDX-License-Identifier: MPL-2.0

// Package chaos holds the tests of the provider through proxies that others have written
// and that people run: toxiproxy disturbs the bytes of connections, and Caddy ends TLS and
// HTTP/2, compresses, buffers, repeats requests and answers with errors of its own. What a
// service and its gateways do is otherwise only our mock server's imagination.
//
// The tests have the build tag chaos, and make chaos builds the proxies and runs them.
package chaos
