{{- define "lockstep.name" -}}
{{- if contains "lockstep" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-lockstep" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}-operator
{{- end }}

{{- define "lockstep.selector" -}}
app.kubernetes.io/name: lockstep-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "lockstep.labels" -}}
{{ include "lockstep.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* What the operator may do to jobs and their children: each verb is one that it uses. */}}
{{- define "lockstep.rules" -}}
- apiGroups: [lockstep.dev]
  resources: [trainingjobs]
  verbs: [get, list, watch, delete]
- apiGroups: [lockstep.dev]
  resources: [trainingjobs/status]
  verbs: [patch]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, create, delete]
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end }}
