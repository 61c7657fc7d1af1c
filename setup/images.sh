#!/usr/bin/env bash
# Makes the two images that everything in the test cluster stands on, without an image registry:
# debian:bookworm-slim, from Debian's packages, for the FROM lines of docker/; and the pause container of every pod.
# Usual time: 1 minute with an empty cache, nothing when they are there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

base=docker.io/library/debian:bookworm-slim
pause_source=$setup_dir/pause.cc
pause=$cache_root/pause-$(sha256sum "$pause_source" | cut -c1-12).tar

require_root() { [ "$(id -u)" = 0 ] || die "building images needs root (buildah with --isolation chroot); run setup/run as root"; }

# Like Debian's own slim image: no manual pages, and apt keeps neither packages nor its caches.
make_base() {
  local folder
  folder=$(aside "$cache_root/base-image")
  mkdir "$folder"
  say "images: making debian:bookworm-slim (usually 1 minute)"
  printf '%s\n' 'APT::Keep-Downloaded-Packages "false";' 'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' \
    'DPkg::Post-Invoke {"rm -f /var/cache/apt/archives/*.deb || true";};' >"$folder/docker-clean"
  mmdebstrap --quiet --variant=minbase --include=usr-is-merged --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    bookworm "$folder/base.tar" >"$folder/log" 2>&1 ||
    { tail -n 20 "$folder/log" >&2; die "mmdebstrap could not make a Debian bookworm root; its last words are above"; }
  printf 'FROM scratch\nADD base.tar /\nCOPY docker-clean /etc/apt/apt.conf.d/\nCMD ["bash"]\n' >"$folder/Dockerfile"
  buildah bud --quiet --isolation chroot --pull-never -t "$base" "$folder" >/dev/null ||
    die "buildah could not turn the Debian root into an image; its words are above"
  rm -r "$folder"
}

make_pause() {
  local folder
  folder=$(aside "$cache_root/pause-image")
  mkdir "$folder"
  g++ -std=c++20 -Os -static -s -o "$folder/pause" "$pause_source" || die "compiling $pause_source failed"
  printf 'FROM scratch\nCOPY pause /pause\nUSER 65535:65535\nENTRYPOINT ["/pause"]\n' >"$folder/Dockerfile"
  buildah bud --quiet --isolation chroot --pull-never -t lockstep.local/pause:1 "$folder" >/dev/null &&
    buildah push --quiet lockstep.local/pause:1 "docker-archive:$folder/pause.tar:lockstep.local/pause:1" ||
    die "buildah could not make the pause image; its words are above"
  publish "$folder/pause.tar" "$pause"
  rm -r "$folder"
}

only_one images
if ! buildah inspect --type image "$base" >/dev/null 2>&1; then require_root; make_base; fi
if [ ! -f "$pause" ]; then require_root; make_pause; fi
ln -sfn "$pause" "$cache_root/pause.tar"
say "images: ready ($base, $pause)"
