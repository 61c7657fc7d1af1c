//go:build tools

// Package tools pins helm; setup/kubernetes.sh builds it.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
