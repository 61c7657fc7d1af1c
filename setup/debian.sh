#!/usr/bin/env bash
# Installs the Debian packages of debian-packages.txt that are missing.
# Usual time: 2 minutes on a bare machine, nothing when they are there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

only_one debian
mapfile -t wanted < <(sed -E 's/#.*//; s/[[:space:]]//g; /^$/d' "$setup_dir/debian-packages.txt")
command -v dpkg-query >/dev/null ||
  die "Debian 12's packages are needed and this machine has no dpkg-query; install the equivalents of setup/debian-packages.txt by hand"

missing=()
for package in "${wanted[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] ||
    die "installing packages needs root; run as root: apt-get install --no-install-recommends ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  dpkg --configure -a >/dev/null   # an earlier run may have been interrupted half-way
  say "debian: installing ${#missing[@]} packages (usually 2 minutes): ${missing[*]}"
  apt-get update -qq || die "apt-get update failed; its words are above"
  # Services that packages bring along (containerd) must not start: the test cluster runs its own.
  policy=$(mktemp -d)
  trap 'rm -rf "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy/policy-rc.d"
  chmod +x "$policy/policy-rc.d"
  POLICYRCD="$policy/policy-rc.d" apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" >"$cache_root/apt.log" ||
    die "apt-get install failed; its words are above, the rest in $cache_root/apt.log"
fi
say "debian: ${#wanted[@]} packages are installed"
