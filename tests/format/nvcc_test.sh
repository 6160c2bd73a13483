#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the layouts with nvcc, for a GPU of the oldest kind: nvcc_test.sh INCLUDE SOURCE
# Then plants a wrong offset and expects nvcc to refuse it, so that the test is known to look.
set -euo pipefail
include=$1
source=$2
. "$(dirname "$0")/../find_nvcc.sh"
flags=(-std=c++17 -arch=sm_75 -Werror all-warnings)

"$nvcc" "${flags[@]}" -I "$include" -c "$source" -o "$folder/layout.o"

cp -r "$include" "$folder/include"
sed -i 's/offsetof(Completion, byte_cnt) == 44/offsetof(Completion, byte_cnt) == 40/' \
  "$folder/include/warpnic/format/mlx5_cqe.h"
if "$nvcc" "${flags[@]}" -I "$folder/include" -c "$source" -o "$folder/planted.o" \
    >"$folder/log" 2>&1; then
  echo "nvcc accepted a planted wrong offset" >&2
  exit 1
fi
grep -q 'mlx5_cqe64' "$folder/log" || { cat "$folder/log" >&2; exit 1; }
