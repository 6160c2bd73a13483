#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a test program that was built with one publish weakened, and fails if the program passes:
#   must_fail.sh TEXT PROGRAM [ARGUMENTS]      TEXT: what its output must say
# The program is given a few schedules to show it.
text=$1
shift
for seed in 0 1 2 3 4; do
  output=$(WARPNIC_CPU_SEED=$seed TSAN_OPTIONS="halt_on_error=1 exitcode=66" timeout 120 "$@" 2>&1)
  status=$?
  if [ $status != 0 ] && grep -q -- "$text" <<<"$output"; then
    echo "seed $seed: found, as it must be (exit status $status):"
    grep -m 3 -- "$text" <<<"$output"
    exit 0
  fi
done
echo "the weakened publish was not found; the last run ended with status $status:"
tail -20 <<<"$output"
exit 1
