# The trainer's image: launcher, training program, LibTorch, and the data of the examples.
# 581 MB: LibTorch 459, Debian 79, data 30, the rest programs; VARIANT=cuda adds several GB of CUDA libraries.
#
#   docker build -f docker/trainer.Dockerfile -t lockstep/trainer .
#   docker build -f docker/trainer.Dockerfile -t lockstep/trainer:cuda --build-arg VARIANT=cuda .
#
# docker/build gives the stages `libtorch` and `build` as ready folders (--build-context), so that nothing is fetched or
# compiled twice. LibTorch has a layer of its own below the programs: a new build of them is a small one.

FROM debian:bookworm-slim AS libtorch
ARG VARIANT=cpu
ENV XDG_CACHE_HOME=/cache
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3-pip unzip \
    && rm -rf /var/lib/apt/lists/*
COPY setup/lib.sh setup/versions.sh setup/libtorch.sh setup/cuda.sh* /src/setup/
RUN /src/setup/libtorch.sh && if [ "$VARIANT" = cuda ]; then /src/setup/cuda.sh; fi
# The CUDA libraries of torch's own dependencies: cuBLAS, cuDNN, NCCL and what they need.
RUN if [ "$VARIANT" = cuda ]; then . /src/setup/versions.sh \
    && python3 -m pip install --quiet --no-compile --target /wheels "torch==$TORCH_VERSION" \
    && cp -a /wheels/nvidia /cache/lockstep/libtorch/; rm -rf /wheels; fi
COPY docker/libtorch_runtime.sh /src/docker/
RUN /src/docker/libtorch_runtime.sh "$(readlink -f /cache/lockstep/libtorch)" /opt/lockstep "$VARIANT"

FROM libtorch AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ cmake ninja-build nlohmann-json3-dev zlib1g-dev libjpeg62-turbo-dev libpng-dev libcli11-dev \
       libfmt-dev libyaml-cpp-dev libgloo-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN preset=$([ "$VARIANT" = cuda ] && echo cuda || echo release) \
    && cmake --preset $preset -DLOCKSTEP_OPERATOR=OFF \
    && cmake --build --preset $preset --target lockstep-launch lockstep-train \
    && cmake --install build/$preset --component trainer --prefix /opt/lockstep --strip

FROM debian:bookworm-slim
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Lockstep trainer" \
      org.opencontainers.image.description="Distributed training in C++ on LibTorch, one process per GPU" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates zlib1g libjpeg62-turbo libpng16-16 libfmt9 libyaml-cpp0.7 dataset-fashion-mnist fortunes \
    && rm -rf /var/lib/apt/lists/*
COPY --from=libtorch /opt/lockstep /opt/lockstep
COPY --from=build /opt/lockstep/bin /opt/lockstep/bin
ENV PATH=/opt/lockstep/bin:$PATH
USER 65532:65532
# A missing library fails here and not in a cluster.
RUN lockstep-launch --version && lockstep-train --version
ENTRYPOINT ["lockstep-launch", "--", "lockstep-train", "run"]
