// SPDX-License-Identifier: MPL-2.0

//go:build !race

package soak

const race = false
