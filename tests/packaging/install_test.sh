#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build tree, moves the prefix, builds the outside project from it and runs it:
#   install_test.sh cmake|pkgconfig BUILD SOURCE LIBDIR
set -euo pipefail
way=$1
build=$2
source=$3
libdir=$4
project=$source/tests/packaging/project
cmake=${CMAKE_COMMAND:-cmake}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "packaging: $*" >&2; exit 1; }
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "failed: $*"; }; }

# Installed in one place, used in another: nothing may remember the first, nor the build.
quietly "$cmake" --install "$build" --prefix "$folder/first"
prefix="$folder/a prefix"
[ "$way" = cmake ] || prefix=$folder/second  # pkg-config's output does not survive spaces
mv "$folder/first" "$prefix"
if grep -rIlF -e "$folder/first" -e "$build" "$prefix"; then
  fail "these files name the place of the build or of the installation"
fi
for library in "$prefix/$libdir"/lib*.so; do
  readelf -d "$library" | grep -E 'R(UN)?PATH' | grep -vF '[$ORIGIN]' &&
    fail "$library looks for libraries elsewhere"
done

# Every header came along, with nothing beside them.
diff <(cd "$source/include" && find . -type f | sort) \
  <(cd "$prefix/include" && find . -type f | sort) || fail "headers differ"

# Tools run from there.
if [ -e "$build/tools/warpnic" ]; then
  quietly "$prefix/bin/warpnic" --help
fi

case $way in
  cmake)
    quietly "$cmake" -S "$project" -B "$folder/build" -DCMAKE_PREFIX_PATH="$prefix" \
      -DCMAKE_BUILD_TYPE=Release
    quietly "$cmake" --build "$folder/build" --verbose
    program=$folder/build/outside
    ;;
  pkgconfig)
    export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
    unset PKG_CONFIG_LIBDIR
    export PATH=$prefix/bin:$PATH
    for module in doca-common doca-eth doca-gpunetio; do
      pkg-config --exists --print-errors "$module >= 3.3" || fail "no module $module"
    done
    [ "$(pkg-config --variable=libdir doca-gpunetio)" -ef "$prefix/$libdir" ] ||
      fail "the variable libdir of doca-gpunetio is wrong"
    [ "$(pkg-config --variable=simtcc doca-gpunetio)" -ef "$(command -v warpnic-simtcc)" ] ||
      fail "the variable simtcc of doca-gpunetio is wrong"
    modules="doca-eth doca-gpunetio doca-common warpnic-cpu-executor"
    cd "$folder"
    # Words of pkg-config's output are arguments of their own.
    # shellcheck disable=SC2046
    quietly warpnic-simtcc -O2 $(pkg-config --cflags doca-gpunetio) \
      -c "$project/kernel/sum.cu" -o sum.o
    # shellcheck disable=SC2046,SC2086
    quietly cc -std=c11 $(pkg-config --cflags $modules) -c "$project/main.c" -o main.o
    # shellcheck disable=SC2046,SC2086
    quietly c++ main.o sum.o $(pkg-config --libs $modules) -o outside
    export LD_LIBRARY_PATH=$prefix/$libdir
    program=$folder/outside
    ;;
  *) fail "unknown way $way" ;;
esac

ldd "$program" | grep -E 'libwarpnic' | grep -vF "$prefix/$libdir/" &&
  fail "the program uses another library than the installed one"

interface=$(sed -n 's/.*define DOCA_VER_STRING "\(.*\)"/\1/p' "$source/include/doca_version.h")
expected="version $interface (warpnic $(cat "$source/VERSION")), interface $interface
device 0000:ff:00.0
sum 8256"
printed=$(WARPNIC_DEVICES='ff:00.0=gen:size=64' "$program") ||
  fail "the program failed: $printed"
[ "$printed" = "$expected" ] || fail "expected:
$expected
printed:
$printed"
