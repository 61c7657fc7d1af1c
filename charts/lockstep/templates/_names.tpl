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
  verbs: [list, watch, delete]
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
{{- range $key, $group := dict "volcano" "scheduling.volcano.sh" "coscheduling" "scheduling.x-k8s.io" "native" "scheduling.k8s.io" }}
{{- if index $.Values.gangScheduling $key }}
- apiGroups: [{{ $group }}]
  resources: [podgroups]
  verbs: [get, list, watch, create]
{{- end }}
{{- end }}
{{- if .Values.kueue.enabled }}
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, list, watch, create, patch]
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads/status]
  verbs: [patch]
{{- end }}
{{- end }}

{{- /* What Kueue grants is described by objects outside of namespaces. */}}
{{- define "lockstep.kueue-cluster-rules" -}}
- apiGroups: [kueue.x-k8s.io]
  resources: [resourceflavors, workloadpriorityclasses]
  verbs: [get]
- apiGroups: [scheduling.k8s.io]
  resources: [priorityclasses]
  verbs: [get]
{{- end }}

{{- define "lockstep.image" -}}
{{ .Values.operator.image.repository }}:{{ .Values.operator.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "lockstep.launcherImage" -}}
{{- with .Values.launcher.image -}}
{{- if .repository }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ else }}{{ include "lockstep.image" $ }}{{ end -}}
{{- end -}}
{{- end }}
