// The calling thread's last error, as cudaGetLastError reports it.
#pragma once

#include "driver_types.h"

namespace warpnic::cpu {

/// Remembers the error and returns it: `return fail(cudaErrorInvalidValue);`
cudaError_t fail(cudaError_t error);

}  // namespace warpnic::cpu
