// Typed C++ forms of runtime functions (cudaMalloc(&p, n) for any pointer, symbols by name, kernels
// by function) and, in .cu files, the launch interface that clang calls for kernel<<<>>>().
#pragma once

// The device pass reads host code too, and there kernels have another calling convention.
#ifdef WARPNIC_CPU_DEVICE_PASS
#define WARPNIC_CPU_KERNEL_TYPE __attribute__((ms_abi))
#else
#define WARPNIC_CPU_KERNEL_TYPE
#endif

template <class T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = 0) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes,
                                     unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(reinterpret_cast<const void*>(&symbol), from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes,
                                        size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, reinterpret_cast<const void*>(&symbol), bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind,
                                           cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync(reinterpret_cast<const void*>(&symbol), from, bytes, offset, kind,
                                 stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind,
                                             cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(to, reinterpret_cast<const void*>(&symbol), bytes, offset, kind,
                                   stream);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return cudaGetSymbolAddress(address, reinterpret_cast<const void*>(&symbol));
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  return cudaGetSymbolSize(bytes, reinterpret_cast<const void*>(&symbol));
}

template <class... P>
inline cudaError_t cudaFuncSetAttribute(void (WARPNIC_CPU_KERNEL_TYPE *kernel)(P...),
                                        cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class... P>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                         void (WARPNIC_CPU_KERNEL_TYPE *kernel)(P...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class... P>
inline cudaError_t cudaFuncSetCacheConfig(void (WARPNIC_CPU_KERNEL_TYPE *kernel)(P...),
                                          cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <class... P>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, void (WARPNIC_CPU_KERNEL_TYPE *kernel)(P...), int block_size,
    size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void*>(kernel), block_size, shared_bytes);
}

extern "C" {
#pragma GCC visibility push(default)
int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0);
cudaError_t cudaSetupArgument(const void* argument, size_t bytes, size_t offset);
cudaError_t cudaLaunch(const void* stub);
#pragma GCC visibility pop
}

template <class... P>
inline cudaError_t cudaLaunchKernel(void (WARPNIC_CPU_KERNEL_TYPE *kernel)(P...), dim3 grid,
                                    dim3 block, void** arguments, size_t shared_bytes = 0,
                                    cudaStream_t stream = 0) {
  cudaConfigureCall(grid, block, shared_bytes, stream);
  const size_t sizes[sizeof...(P) + 1] = {sizeof(P)...};
  for (size_t i = 0; i < sizeof...(P); i++) {
    cudaSetupArgument(arguments[i], sizes[i], 0);
  }
  return cudaLaunch(reinterpret_cast<const void*>(kernel));
}
/// Every block of a grid is resident (up to WARPNIC_CPU_MAX_BLOCKS), so this is a plain launch.
template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(void (WARPNIC_CPU_KERNEL_TYPE *kernel)(P...),
                                               dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                                               cudaStream_t stream = 0) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}
