"""Plays the kubelets of one namespace: the API server, its admission and its controllers are real, only the machines are not."""
import datetime
import json
import subprocess
import threading

from kube import BIN


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class SimulatedKubelet:
    """Writes pod status as a test tells it to. A pod that is deleted ends at once, as a willing program does, unless held."""

    def __init__(self, kube):
        self.kube = kube
        self.held = set()
        columns = "custom-columns=:.metadata.name,:.metadata.uid,:.metadata.deletionTimestamp"
        self.watch = subprocess.Popen(
            [str(BIN / "kubectl"), "--kubeconfig", kube.kubeconfig, "-n", kube.namespace, "get", "pods", "--watch",
             "--no-headers", "-o", columns], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.follower = threading.Thread(target=self._follow, daemon=True)
        self.follower.start()

    def _follow(self):
        for line in self.watch.stdout:
            name, uid, deleted = line.split()
            if deleted != "<none>" and name not in self.held:
                self._end(name, uid)

    def _end(self, pod, uid):
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "preconditions": {"uid": uid}}
        self._raw("delete", f"pods/{pod}", options)  # a pod that is gone already is as well

    def _raw(self, verb, path, body):
        self.kube.kubectl(verb, "--raw", f"/api/v1/namespaces/{self.kube.namespace}/{path}", "-f", "-",
                          stdin=json.dumps(body), check=False)

    def stop(self):
        self.watch.kill()
        self.watch.wait()
        self.follower.join()

    def gang(self, job, nodes=1, attempt=1):
        """Waits for the pods of an attempt, and of no other; returns them by name."""
        def complete():
            pods = [p for p in self.kube.pods(job) if p["metadata"].get("ownerReferences")]
            attempts = [p["metadata"]["labels"]["lockstep.dev/attempt"] for p in pods]
            return attempts == [str(attempt)] * nodes and {p["metadata"]["name"]: p for p in pods}

        return self.kube.wait(f"{nodes} pods of attempt {attempt} of {job}", complete, seconds=30)

    def run(self, job, nodes=1, attempt=1):
        """Brings a whole attempt up; returns its pods by name."""
        pods = self.gang(job, nodes, attempt)
        self.start(*pods)
        self.kube.wait_phase(job, "Running", seconds=30)
        return pods

    def start(self, *pods):
        for pod in pods:
            self.bind(pod)
            self.write(pod, "Running", {"running": {"startedAt": now()}})

    def bind(self, pod):
        """Does the scheduler's part: from here on a deletion has to wait for the kubelet."""
        self._raw("create", f"pods/{pod}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod},
                                                    "target": {"kind": "Node", "name": self.machine(pod)}})

    def machine(self, pod):
        """There is no such node, which the garbage collector of pods minds only after 40 s: the name is new in each test."""
        return f"{self.kube.namespace}-{pod}"

    def wait_for_image(self, pod, image):
        self.bind(pod)
        self.write(pod, "Pending", {"waiting": {"reason": "ImagePullBackOff", "message": f"Back-off pulling image {image}"}})

    def exit(self, pod, code, reason=None, message="", pod_phase=None, side_cars=()):
        """The trainer container ends; pod_phase: when the kubelet has not said yet that the pod did."""
        end = {"exitCode": code, "reason": reason or ("Completed" if code == 0 else "Error"), "message": message,
               "startedAt": now(), "finishedAt": now()}
        phase = pod_phase or ("Failed" if code else "Succeeded")
        self.write(pod, phase, {"terminated": end}, is_ready=False, side_cars=side_cars)

    def evict(self, pod):
        target = {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}
        self.write(pod, "Failed", None, [target], reason="Evicted", message="The node was low on resource: memory.")

    def shut_down(self, pod):
        """A graceful shutdown of the machine: the pod failed, no container says so."""
        self.write(pod, "Failed", None, reason="Terminated", message="Pod was terminated in response to imminent node shutdown.")

    def lose_machine(self, pod):
        """The machine is silent: the node controller marks the pod and deletes it, and nobody carries that out."""
        self.held.add(pod)
        target = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}
        self.write(pod, "Running", {"running": {"startedAt": now()}}, [target], is_ready=False)
        self.kube.kubectl("delete", "pod", pod, "--wait=false")

    def hold(self, pod):
        """From here on the pod does not end when it is deleted."""
        self.held.add(pod)

    def release(self, pod):
        uid = self.kube.get("pod", pod)["metadata"]["uid"]
        self.held.discard(pod)  # the watch may lag, and end it only now
        self._end(pod, uid)

    def write(self, pod, phase, state, conditions=(), is_ready=None, side_cars=(), **status):
        """One status write. state: of the trainer container; None leaves the containers unmentioned."""
        is_ready = phase == "Running" if is_ready is None else is_ready
        ready = {"type": "Ready", "status": "True" if is_ready else "False"}
        status |= {"phase": phase, "conditions": [ready, *conditions]}
        if state is not None:
            status["containerStatuses"] = [container("trainer", state, is_ready), *side_cars]
        self.kube.kubectl("patch", "pod", pod, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))


def container(name, state, is_ready=True):
    """The status of one container."""
    return {"name": name, "image": "x", "imageID": "", "ready": is_ready, "restartCount": 0, "state": state}
