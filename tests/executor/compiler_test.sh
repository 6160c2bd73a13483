#!/bin/sh
# compiler_test.sh COMPILER FOLDER: what warpnic-simtcc does besides making a good object.
compiler=$1
folder=$2
failures=0
mkdir -p "$folder/tmp" && cd "$folder" || exit 1
TMPDIR=$folder/tmp
export TMPDIR

check() {  # check DESCRIPTION CONDITION...
  description=$1
  shift
  if "$@"; then
    echo "ok: $description"
  else
    echo "FAILED: $description"
    failures=$((failures + 1))
  fi
}
lines_with() { [ "$(grep -c "$1" "$3")" -eq "$2" ]; }

cat > header.h <<'END'
#define VALUE 3
END
cat > good.cu <<'END'
#include "header.h"
#ifdef __CUDA_ARCH__
#include "device_only.h"
#endif
__global__ void k(int* p) { *p = VALUE; }
END
echo > device_only.h
"$compiler" -c good.cu -o good.o -MD -MF good.d -MT wanted/target.o
check "a good file compiles" [ $? -eq 0 ]
check "dependencies name the target" grep -q "^wanted/target.o:" good.d
check "dependencies of the host pass" grep -q "header.h" good.d
check "dependencies of the device pass" grep -q "device_only.h" good.d

echo 'int f() { return undeclared; } __global__ void k() {}' > both.cu
"$compiler" -c both.cu -o both.o 2> both.txt
check "an error in both passes fails" [ $? -eq 1 ]
check "and is said once" lines_with "undeclared identifier" 1 both.txt
check "and leaves no object" [ ! -e both.o ]

printf '#ifdef __CUDA_ARCH__\n#error only there\n#endif\n' > device.cu
"$compiler" -c device.cu -o device.o 2> device.txt
check "an error in the device pass alone fails" [ $? -eq 1 ]
check "and is said" lines_with "error: only there" 1 device.txt

echo '__host__ int h() { return 1; } __global__ void k(int* p) { *p = h(); }' > host_call.cu
"$compiler" -c host_call.cu -o host_call.o 2> host_call.txt
check "a kernel that calls a host function is refused" [ $? -ne 0 ]

"$compiler" -c missing.cu -o missing.o 2> missing.txt
check "a missing file fails" [ $? -ne 0 ]
check "temporary files are gone" [ -z "$(ls "$TMPDIR")" ]
exit "$((failures != 0))"
