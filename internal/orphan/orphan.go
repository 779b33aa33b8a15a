// SPDX-License-Identifier: MPL-2.0

// Package orphan tells the provider when the process that started it has ended. A
// Terraform that is killed does not ask the provider to stop: its connection breaks,
// which cancels every change, and the provider's process would stay behind for ever.
package orphan

// Watch returns a channel that is closed once the process that started this one has ended.
func Watch() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		waitForParent()
		close(gone)
	}()
	return gone
}
