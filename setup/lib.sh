# Shared by every set-up step: progress lines, one clear sentence on failure, and publish-by-rename.
set -euo pipefail
setup_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$setup_dir/versions.sh"
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/lockstep
mkdir -p "$cache_root"

say() { printf '[setup %4ds] %s\n' "$SECONDS" "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# version_at_least HAVE WANT: true when dotted version HAVE is WANT or newer.
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# publish ASIDE FINAL: moves a finished file or folder into place in one step, so that FINAL is whole or absent.
publish() {
  sync -f "$1" 2>/dev/null || true
  rm -rf "$2"
  mv -T "$1" "$2"
}

# aside FINAL: a fresh path beside FINAL to build in; leftovers of interrupted runs are removed first.
aside() {
  mkdir -p "$(dirname "$1")"
  rm -rf "$1".aside.*
  printf '%s.aside.%s' "$1" "$$"
}

# only_one NAME: holds a lock for the rest of this process, so that two set-ups never build the same thing at once.
only_one() {
  exec 9>"$cache_root/.$1.lock"
  flock -n 9 || { say "another set-up is at work on $1: waiting for it"; flock 9; }
}
