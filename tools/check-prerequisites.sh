#!/bin/sh
# Checks for what pip cannot bring, and names the Debian package of whatever is missing.
# Usage: check-prerequisites.sh [PYTHON]; CXX names the C++ compiler (default: c++, else g++, else clang++).
set -u

python=${1:-python3}
status=0

missing() {  # what, Debian package
  echo "pysmpi: missing: $1" >&2
  echo "        on Debian and Ubuntu: apt-get install $2" >&2
  status=1
}

compiler=
for candidate in ${CXX:-c++ g++ clang++}; do
  if command -v "$candidate" >/dev/null 2>&1; then
    compiler=$candidate
    break
  fi
done
if [ -z "$compiler" ]; then
  missing "a C++20 compiler (looked for: ${CXX:-c++, g++, clang++})" g++
elif ! echo '#include <span>
static_assert(__cplusplus > 201703L);
int main() { return std::span<int>().size(); }' | "$compiler" -std=c++20 -fsyntax-only -x c++ - >/dev/null 2>&1; then
  missing "a compiler that accepts C++20 ($compiler does not; g++ 11 and clang++ 14 do)" g++
fi

if ! command -v "$python" >/dev/null 2>&1; then
  missing "the Python interpreter $python" python3
  exit $status
fi

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
case $version in
  3.11 | 3.12 | 3.13 | 3.14) ;;
  *)
    echo "pysmpi: $python is Python $version; CPython 3.11, 3.12, 3.13 and 3.14 are supported." >&2
    echo "        name another one: make PYTHON=python3.11 ..." >&2
    exit 1
    ;;
esac

include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -f "$include/Python.h" ] || missing "Python's headers ($include/Python.h)" "python$version-dev"

"$python" -c 'import ensurepip, venv' >/dev/null 2>&1 || missing "Python's venv module" "python$version-venv"

exit $status
