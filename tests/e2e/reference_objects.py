"""What a job gets besides its environment, once more in Python: its other objects, and what is mounted into its trainer."""
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
    if spec.get("checkpoints"):
        kept = spec["checkpoints"]
        folder = {"subPath": kept.get("subPath", job["metadata"]["name"])}
        found[kept.get("path", "/checkpoints")] = (folder, claim(kept["claimName"]))
    return found
