# Every version the project pins, once. Changing one rebuilds what depends on it: caches are keyed by version.
KUBERNETES_VERSION=1.37.2
ETCD_VERSION=3.7.3
COREDNS_VERSION=1.12.4
HELM_VERSION=4.3.1
KWOK_VERSION=0.8.0
TORCH_VERSION=2.15.0
CUDA_RUNTIME_VERSION='13.2.*'   # libtorch_cpu.so of the torch wheel is linked against this CUDA runtime
CUDA_TOOLKIT_VERSION=13.2.2     # the headers that the preset cuda compiles against: those torch was built with
NCCL_VERSION=2.30.7
GO_MINIMUM=1.26
PYTHON_MINIMUM=3.11
# The Python that the trainer is compared with (setup/parity.sh), beside torch.
TORCHVISION_VERSION=0.29.2
NUMPY_VERSION=2.4.6
PILLOW_VERSION=13.0.0
SAFETENSORS_VERSION=0.8.0
TENSORBOARD_VERSION=2.21.0
