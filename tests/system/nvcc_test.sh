#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiles every .cu file of tools and samples with nvcc for all GPUs of preset cuda, warnings being
# errors: nvcc_test.sh ROOT
set -euo pipefail
root=$1
. "$(dirname "$0")/../find_nvcc.sh"
targets=()
for target in 75 80 90; do targets+=(-gencode "arch=compute_$target,code=sm_$target"); done

sources=0
while IFS= read -r -d '' source; do
  echo "nvcc: ${source#"$root"/}"
  "$nvcc" -std=c++17 "${targets[@]}" --threads 0 -Werror all-warnings -I "$root/include" \
    -c "$source" -o "$folder/kernel.o"
  sources=$((sources + 1))
done < <(find "$root/tools" "$root/samples" -name '*.cu' -print0)
[ "$sources" -gt 0 ] || { echo "no .cu file was found" >&2; exit 1; }
