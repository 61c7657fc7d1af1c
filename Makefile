# Thin names over the presets and scripts. `make` alone lists them.
.PHONY: help demo test bench parity soak images cluster-up cluster-down clean
.DEFAULT_GOAL := help

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 24

demo:  ## set up, start a cluster, install the chart, train on Fashion-MNIST (CONTEXT=name: on that cluster instead)
	@examples/demo $(CONTEXT)

test:  ## set up, build, run every test, count
	@tests/run

bench:  ## side-by-side measurements, printed as ratios
	@setup/run toolchain parity && cmake --preset dev >/dev/null && tests/bench/run

parity:  ## the same trainings by Python's DistributedDataParallel and by lockstep-train, compared to the last bit
	@setup/run toolchain parity && cmake --preset dev >/dev/null && cmake --build --preset dev --target lockstep-launch lockstep-train && tests/parity/run && tests/parity/torchscript

soak:  ## the long fault campaigns
	@tests/soak

images:  ## build both container images and load them into the running test cluster
	@setup/run && docker/build

cluster-up:  ## the real control plane and one real node on this machine
	@setup/run && tests/cluster/cluster up

cluster-down:  ## end exactly what cluster-up started
	@tests/cluster/cluster down

clean:  ## remove build folders (caches outside the tree stay)
	rm -rf build
