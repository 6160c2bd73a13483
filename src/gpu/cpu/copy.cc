// Copies, fills and access to device variables by their host names.
#include <string.h>

#include "cuda_runtime_api.h"
#include "error.h"
#include "kernel.h"
#include "memory.h"
#include "stream.h"

using namespace warpnic::cpu;

namespace {

cudaError_t check_copy(const void* to, const void* from, size_t bytes, int kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return fail(cudaErrorInvalidMemcpyDirection);
  }
  if (bytes != 0 && (to == nullptr || from == nullptr || !range_is_valid(to, bytes) ||
                     !range_is_valid(from, bytes))) {
    return fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

/// The bytes of a device variable; null (and the error remembered) if there are not that many.
char* symbol_bytes(const void* symbol, size_t bytes, size_t offset) {
  const Symbol* variable = find_variable(symbol);
  if (variable == nullptr) {
    fail(cudaErrorInvalidSymbol);
    return nullptr;
  }
  const auto size = static_cast<size_t>(variable->bytes);
  if (offset > size || bytes > size - offset) {
    fail(cudaErrorInvalidValue);
    return nullptr;
  }
  return static_cast<char*>(variable->address) + offset;
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
  if (const cudaError_t error = check_copy(to, from, bytes, kind); error != cudaSuccess) {
    return error;
  }
  submit_and_wait(find_stream(nullptr), [=] {
    if (bytes != 0) {
      memmove(to, from, bytes);
    }
  });
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t handle) {
  if (const cudaError_t error = check_copy(to, from, bytes, kind); error != cudaSuccess) {
    return error;
  }
  const auto stream = find_stream(handle);
  if (!stream) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (bytes != 0) {
    submit(stream, [=] { memmove(to, from, bytes); });
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) {
    return fail(cudaErrorInvalidValue);
  }
  if (width == 0 || height == 0) {
    return cudaSuccess;
  }
  const size_t to_bytes = to_pitch * (height - 1) + width;
  const size_t from_bytes = from_pitch * (height - 1) + width;
  cudaError_t error = check_copy(to, from, width, kind);
  if (error == cudaSuccess &&
      (!range_is_valid(to, to_bytes) || !range_is_valid(from, from_bytes))) {
    error = fail(cudaErrorInvalidValue);
  }
  if (error != cudaSuccess) {
    return error;
  }
  submit_and_wait(find_stream(nullptr), [=] {
    for (size_t row = 0; row < height; row++) {
      memmove(static_cast<char*>(to) + row * to_pitch,
              static_cast<const char*>(from) + row * from_pitch, width);
    }
  });
  return cudaSuccess;
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  if (bytes != 0 && (to == nullptr || !range_is_valid(to, bytes))) {
    return fail(cudaErrorInvalidValue);
  }
  submit_and_wait(find_stream(nullptr), [=] {
    if (bytes != 0) {
      memset(to, value, bytes);
    }
  });
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t handle) {
  const auto stream = find_stream(handle);
  if (!stream) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (bytes != 0 && (to == nullptr || !range_is_valid(to, bytes))) {
    return fail(cudaErrorInvalidValue);
  }
  if (bytes != 0) {
    submit(stream, [=] { memset(to, value, bytes); });
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
  char* to = symbol_bytes(symbol, bytes, offset);
  return to != nullptr ? cudaMemcpy(to, from, bytes, kind) : cudaPeekAtLastError();
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
  const char* from = symbol_bytes(symbol, bytes, offset);
  return from != nullptr ? cudaMemcpy(to, from, bytes, kind) : cudaPeekAtLastError();
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream) {
  char* to = symbol_bytes(symbol, bytes, offset);
  return to != nullptr ? cudaMemcpyAsync(to, from, bytes, kind, stream) : cudaPeekAtLastError();
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  const char* from = symbol_bytes(symbol, bytes, offset);
  return from != nullptr ? cudaMemcpyAsync(to, from, bytes, kind, stream)
                         : cudaPeekAtLastError();
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  const Symbol* variable = find_variable(symbol);
  if (address == nullptr || variable == nullptr) {
    return fail(address == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidSymbol);
  }
  *address = variable->address;
  return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  const Symbol* variable = find_variable(symbol);
  if (bytes == nullptr || variable == nullptr) {
    return fail(bytes == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidSymbol);
  }
  *bytes = static_cast<size_t>(variable->bytes);
  return cudaSuccess;
}
