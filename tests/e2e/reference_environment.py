"""What docs/api.md promises the containers of a job, once more in Python: the environment of every container of every pod.

Written from the documents, so that it can disagree with the operator.
"""
import json
from fnmatch import fnmatchcase
from itertools import accumulate

ACCELERATORS = ["nvidia.com/gpu", "nvidia.com/mig-*", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi", "huawei.com/Ascend*",
                "google.com/tpu", "aws.amazon.com/neuron", "cambricon.com/mlu*", "metax-tech.com/gpu"]
DEFAULT_PORT = 29500
HOST_PORTS = range(20000, 30000)  # of hostNetwork without masterPort: any of them, the same for all pods of the attempt


def part(source, *path):
    """The value at that path; an empty dict where there is none, or a null."""
    for key in path:
        source = (source or {}).get(key)
    return {} if source is None else source


def by_name(*layers):
    """Later layers win; a name keeps the place where it stood first."""
    return list({entry["name"]: entry for layer in layers for entry in layer or []}.values())


class Node:
    """One node of a job: its place among the others and its containers, before the operator's variables."""

    def __init__(self, job, group, rank):
        self.job, self.group, self.rank = job, group, rank
        self.pod = part(job, "spec", "template", "spec")
        of_template = {c["name"]: c for c in part(self.pod, "containers") or []}.get("trainer", {})
        self.limits = {**part(of_template, "resources", "limits"), **part(job, "spec", "resourcesPerNode", "limits"),
                       **part(group, "resourcesPerNode", "limits")}
        env = by_name(of_template.get("env"), part(job, "spec", "env"), part(group, "env"))
        self.containers = by_name(part(self.pod, "containers"), [{**of_template, "name": "trainer", "env": env}])
        launcher = [{"name": "lockstep-launcher"}] if part(job, "spec", "launcher") == "Inject" else []
        self.init_containers = launcher + (part(self.pod, "initContainers") or [])

    @property
    def processes(self):
        asked = part(self.group, "procPerNode") or part(self.job, "spec", "procPerNode") or "auto"
        if asked != "auto":
            return asked
        counted = sum(int(n) for name, n in self.limits.items() if any(fnmatchcase(name, a) for a in ACCELERATORS))
        return min(max(counted, 1), 64)


def nodes_of(job):
    """All nodes, by rank: the groups in the order of their list, or the nodes of a job without groups."""
    groups = part(job, "spec", "nodeGroups") or [{"numNodes": part(job, "spec", "numNodes") or 1}]
    owners = [group for group in groups for _ in range(group.get("numNodes", 1))]
    return [Node(job, group, rank) for rank, group in enumerate(owners)]


def literal(text):
    """The kubelet turns $$ into $ and looks for $(NAME)."""
    return str(text).replace("$", "$$")


def variables(node, nodes, offset, port, uid, namespace):
    """The operator's own, in the order of the table."""
    job, name = node.job, node.job["metadata"]["name"]
    address, processes = f"{name}-0.{name}.{namespace}.svc", node.processes
    grace = part(node.pod, "terminationGracePeriodSeconds")
    table = {"MASTER_ADDR": address, "MASTER_PORT": port, "NNODES": len(nodes), "NODE_RANK": node.rank,
             "NPROC_PER_NODE": processes, "LOCAL_WORLD_SIZE": processes, "WORLD_SIZE": sum(n.processes for n in nodes),
             "LOCKSTEP_RANK_OFFSET": offset}
    if processes == 1:
        table |= {"RANK": offset, "LOCAL_RANK": 0}
    table |= {"LOCKSTEP_GRACE_SECONDS": max((60 if grace == {} else grace) - 5, 1),
              "LOCKSTEP_STARTUP_SECONDS": (part(job, "spec", "runPolicy", "startupDeadlineSeconds") or 1800) + 60,
              "PET_NNODES": len(nodes), "PET_NPROC_PER_NODE": processes, "PET_NODE_RANK": node.rank,
              "PET_MASTER_ADDR": address, "PET_MASTER_PORT": port,
              "LOCKSTEP_JOB_NAME": name, "LOCKSTEP_JOB_UID": uid, "LOCKSTEP_NAMESPACE": namespace, "LOCKSTEP_ATTEMPT": 1}
    if job["spec"].get("config") is not None:
        table["LOCKSTEP_CONFIG"] = json.dumps(job["spec"]["config"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if job["spec"].get("checkpoints"):
        table["CHECKPOINT_DIR"] = job["spec"]["checkpoints"].get("path", "/checkpoints")
    return [{"name": key, "value": literal(value)} for key, value in table.items()]


def environments(job, port, uid, namespace):
    """For each node, by rank: {container: its environment}, init containers too. The container's own follow the operator's."""
    nodes = nodes_of(job)
    offsets = [0, *accumulate(node.processes for node in nodes)]
    world = []
    for node, offset in zip(nodes, offsets):
        ours = variables(node, nodes, offset, port, uid, namespace)
        world.append({c["name"]: with_own(c, ours + message_place(c)) for c in node.init_containers + node.containers})
    return world


def message_place(container):
    """A launcher in it is told where the kubelet reads its last words, where that is not the usual place."""
    path = container.get("terminationMessagePath") or "/dev/termination-log"
    return [] if path == "/dev/termination-log" else [{"name": "LOCKSTEP_TERMINATION_LOG", "value": literal(path)}]


def with_own(container, ours):
    taken = {entry["name"] for entry in ours}
    return ours + [entry for entry in container.get("env") or [] if entry["name"] not in taken]
