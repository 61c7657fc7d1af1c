//go:build tools

// Package tools pins etcd; setup/kubernetes.sh builds it.
package tools

import _ "go.etcd.io/etcd/server/v3"
