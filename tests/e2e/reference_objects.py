"""What a job gets besides its environment, once more in Python: its other objects, and what is mounted into its trainer."""
import copy
from itertools import groupby

from reference_environment import nodes_of, part

POD_GROUPS = {"Volcano": "scheduling.volcano.sh/v1beta1", "Coscheduling": "scheduling.x-k8s.io/v1alpha1",
              "Native": "scheduling.k8s.io/v1beta1"}


def owned(api, kind, job, uid, namespace, spec):
    name = job["metadata"]["name"]
    owner = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "TrainingJob", "name": name, "uid": uid, "controller": True}
    labels = {"lockstep.dev/job-name": name, "lockstep.dev/job-uid": uid, "app.kubernetes.io/managed-by": "lockstep-operator"}
    return {"apiVersion": api, "kind": kind, "spec": spec,
            "metadata": {"name": name, "namespace": namespace, "labels": labels, "ownerReferences": [owner]}}


def gang(job):
    """Whose PodGroup: Auto goes by the scheduler that the template names, and by Kubernetes' own where it names none."""
    asked = part(job, "spec", "schedulingPolicy", "gang") or "None"
    if asked != "Auto":
        return asked
    scheduler = part(job, "spec", "template", "spec", "schedulerName")
    return {"volcano": "Volcano", "default-scheduler": "Native"}.get(scheduler, "Coscheduling") if scheduler else "Native"


def pod_group_spec(job):
    policy, nodes = job["spec"]["schedulingPolicy"], len(nodes_of(job))
    kept = {"Volcano": ["queue", "priorityClassName"], "Coscheduling": ["scheduleTimeoutSeconds"],
            "Native": ["priorityClassName"]}
    size = {"schedulingPolicy": {"gang": {"minCount": nodes}}} if gang(job) == "Native" else {"minMember": nodes}
    return size | {key: policy[key] for key in kept[gang(job)] if key in policy}


def companions(job, uid, namespace):
    """The objects besides the pods, in the order of their creation."""
    pods = {"lockstep.dev/job-name": job["metadata"]["name"], "lockstep.dev/job-uid": uid}

    def one(api, kind, spec):
        return owned(api, kind, job, uid, namespace, spec)

    objects = [one("v1", "Service", {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": pods})]
    if job["spec"].get("networkPolicy") != "None":
        own = {"podSelector": {"matchLabels": pods}}
        objects.append(one("networking.k8s.io/v1", "NetworkPolicy", own | {
            "policyTypes": ["Ingress"], "ingress": [{"from": [own]}, {"ports": [{"protocol": "TCP", "port": 9790}]}]}))
    if gang(job) != "None":
        objects.append(one(POD_GROUPS[gang(job)], "PodGroup", pod_group_spec(job)))
    return objects


def queue(job):
    return part(job, "metadata", "labels", "kueue.x-k8s.io/queue-name") or None


TOPOLOGIES = {"kueue.x-k8s.io/podset-required-topology": "required", "kueue.x-k8s.io/podset-unconstrained-topology": "unconstrained"}


def pod_set(name, pods):
    """What Kueue is told of pods that need the same: all but what differs between them and what costs no quota."""
    template = {"metadata": {key: dict(pods[0]["metadata"][key]) for key in ("labels", "annotations")},
                "spec": copy.deepcopy(pods[0]["spec"])}
    for label in ("lockstep.dev/node-rank", "lockstep.dev/attempt", "batch.kubernetes.io/job-completion-index"):
        template["metadata"]["labels"].pop(label)
    template["metadata"]["annotations"].pop("batch.kubernetes.io/job-completion-index")
    for field in ("hostname", "subdomain", "schedulingGroup"):
        template["spec"].pop(field, None)
    for container in template["spec"].get("initContainers", []) + template["spec"]["containers"]:
        container.pop("env")
        container.pop("ports", None)
    asked = {field: True if value == "true" else value for annotation, field in TOPOLOGIES.items()
             for key, value in template["metadata"]["annotations"].items() if key == annotation}
    topology = {"topologyRequest": {"podIndexLabel": "batch.kubernetes.io/job-completion-index", **asked}} if asked else {}
    return {"name": name, "count": len(pods), "template": template, **topology}


def priority_class(job):
    of_queue = part(job, "metadata", "labels", "kueue.x-k8s.io/priority-class")
    if of_queue:
        return {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": of_queue}
    of_pods = part(job, "spec", "schedulingPolicy", "priorityClassName") or part(job, "spec", "template", "spec", "priorityClassName")
    return {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": of_pods} if of_pods else None


def workloads(job, pods, uid, namespace):
    """What a job asks of its queue: nothing without one. The pods are the rendered ones, which other tests compare."""
    if not queue(job):
        return []
    ranked = zip(nodes_of(job), pods)
    sets = [pod_set(name, [pod for _, pod in members])
            for name, members in groupby(ranked, key=lambda pair: pair[0].group.get("name", "main"))]
    is_suspended = bool(part(job, "spec", "runPolicy", "suspend"))
    spec = {"active": not is_suspended, "queueName": queue(job), "podSets": sets}
    if priority_class(job):
        spec["priorityClassRef"] = priority_class(job)
    asked = owned("kueue.x-k8s.io/v1beta2", "Workload", job, uid, namespace, spec)
    if is_suspended:
        asked["metadata"]["annotations"] = {"lockstep.dev/suspended": "true"}
    return [asked]


LAUNCHER_FOLDER = "/lockstep"


def launcher(image):
    """The init container that brings the launcher: as little as Pod Security and quotas ask of it."""
    return {"name": "lockstep-launcher", "image": image, "command": ["cp", "/usr/local/bin/lockstep-launch", "/lockstep/lockstep-launch"],
            "resources": {"limits": {"cpu": "100m", "memory": "64Mi"}}, "terminationMessagePolicy": "FallbackToLogsOnError",
            "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "runAsGroup": 65532, "allowPrivilegeEscalation": False,
                                "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}},
            "volumeMounts": [{"name": "lockstep-launcher", "mountPath": LAUNCHER_FOLDER}]}


def claim(name, **source):
    return {"persistentVolumeClaim": {"claimName": name, **source}}


def mounts(job):
    """{path in the trainer container: (mount without its path, volume)}, apart from those of the template."""
    spec, found = job["spec"], {}
    containers = part(spec, "template", "spec", "containers") or []
    of_template = [m["mountPath"] for c in containers for m in c.get("volumeMounts", [])]
    memory = part(spec, "sharedMemory")
    if memory.get("enabled", True) and "/dev/shm" not in of_template:
        limit = {"sizeLimit": str(memory["sizeLimit"])} if "sizeLimit" in memory else {}
        found["/dev/shm"] = ({}, {"emptyDir": {"medium": "Memory", **limit}})
    for mount in spec.get("mounts") or []:
        read_only = {"readOnly": True} if mount.get("readOnly") else {}
        found[mount["path"]] = (read_only, claim(mount["claimName"], **read_only))
    if spec.get("launcher") == "Inject":
        found[LAUNCHER_FOLDER] = ({"readOnly": True}, {"emptyDir": {}})
    if spec.get("checkpoints"):
        kept = spec["checkpoints"]
        folder = {"subPath": kept.get("subPath", job["metadata"]["name"])}
        found[kept.get("path", "/checkpoints")] = (folder, claim(kept["claimName"]))
    return found
