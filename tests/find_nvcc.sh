# SPDX-License-Identifier: Apache-2.0
# For the tests that call nvcc, to be sourced: sets nvcc, and a folder that goes with the test. Where
# there is no nvcc the test ends with 77, skipped.
nvcc=${WARPNIC_NVCC:-$(command -v nvcc || true)}
[ -n "$nvcc" ] || [ ! -x /usr/local/cuda/bin/nvcc ] || nvcc=/usr/local/cuda/bin/nvcc
if [ -z "$nvcc" ]; then
  echo "skipped: nvcc is not installed (WARPNIC_NVCC may name it)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
