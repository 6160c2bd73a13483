#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The device API by nvcc, for all GPUs of preset cuda, warnings being errors: nvcc_test.sh ROOT
# Kernels in all scopes, within the registers of a block of 1024 threads; the GPU program of
# tests/device; and combinations that must be refused with a sentence. Exit status 77: skipped, nvcc
# is not there.
set -euo pipefail
root=$1
. "$(dirname "$0")/../find_nvcc.sh"
targets=()
for target in 75 80 90; do targets+=(-gencode "arch=compute_$target,code=sm_$target"); done

compile() {
  "$nvcc" -std=c++17 "${targets[@]}" --threads 0 -Werror all-warnings -Xcompiler -Wall,-Wextra \
    -I "$root/include" -c -o "$folder/object.o" "$@"
}

kernels=$root/tests/api/nvcc_kernels.cu
for source in "$kernels" "$root/tests/device/gpu_receive.cu"; do
  echo "nvcc: ${source#"$root"/}"
  compile "$source"
done

# A block of 1024 threads has 64 registers a thread; one that needs more cannot be launched.
compile -Xptxas -v "$kernels" 2>"$folder/said" >&2
most=$(sed -nE 's/.*Used ([0-9]+) registers.*/\1/p' "$folder/said" | sort -n | tail -1)
echo "registers: at most ${most:?ptxas did not say}"
if [ "$most" -gt 64 ] || grep -E ' [1-9][0-9]* bytes spill' "$folder/said"; then
  echo "more than 64 registers, or spills" >&2
  exit 1
fi

# Each refusal stands in the source as: #if REFUSED == n  // what the compiler must say
refused=0
while read -r number sentence; do
  if compile -DREFUSED="$number" "$kernels" >"$folder/said" 2>&1; then
    echo "refusal $number compiles: $sentence" >&2
    exit 1
  fi
  if ! grep -qF -- "$sentence" "$folder/said"; then
    echo "refusal $number does not say: $sentence" >&2
    cat "$folder/said" >&2
    exit 1
  fi
  echo "refused, as it must be: $sentence"
  refused=$((refused + 1))
done < <(sed -nE 's|^#(el)?if REFUSED == ([0-9]+)  // (.*)|\2 \3|p' "$kernels")
[ "$refused" -gt 0 ] || { echo "no refusal was found in $kernels" >&2; exit 1; }
