# The operator's image: the operator with the libraries that it links, and lockstep-launch, which jobs copy into images that
# lack it (spec.launcher: Inject). Run by a user without rights. 95 MB, 78 of them Debian.
#
#   docker build -f docker/operator.Dockerfile -t lockstep/operator .
#
# docker/build gives the stage `build` as a ready folder (--build-context build=...), so that nothing is compiled twice.

FROM debian:bookworm-slim AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ cmake ninja-build pkgconf nlohmann-json3-dev libsimdjson-dev \
       libcpp-httplib-dev libssl-dev zlib1g-dev libexpected-dev libcli11-dev libspdlog-dev libfmt-dev libyaml-cpp-dev \
       libjpeg62-turbo-dev libpng-dev prometheus-cpp-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cmake --preset release -DLOCKSTEP_TORCH=OFF \
    && cmake --build --preset release --target lockstep-operator lockstep-launch \
    && cmake --install build/release --component operator --prefix /usr/local --strip

FROM debian:bookworm-slim
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Lockstep operator" \
      org.opencontainers.image.description="Runs TrainingJobs: distributed training on Kubernetes" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libssl3 zlib1g libbrotli1 libcpp-httplib0.11 \
       libspdlog1.10 libfmt9 libyaml-cpp0.7 libprometheus-cpp-core1.0 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/lockstep-operator /usr/local/bin/lockstep-launch /usr/local/bin/
USER 65532:65532
# A missing library fails here and not in a cluster.
RUN ["lockstep-operator", "--version"]
ENTRYPOINT ["lockstep-operator"]
