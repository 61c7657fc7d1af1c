//go:build tools

// Package tools pins kwok; setup/kubernetes.sh builds it.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
