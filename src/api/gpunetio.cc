// SPDX-License-Identifier: Apache-2.0
// doca_gpunetio.h
#include "doca_gpunetio.h"

#include "api/number_of.h"
#include "api/objects.h"

using namespace warpnic;

extern "C" {

doca_error_t doca_gpu_create(const char* gpu_bus_id, doca_gpu** out_gpu) {
  return api::guard("doca_gpu_create", [&]() -> Status {
    api::need_not_null(gpu_bus_id);
    api::need_not_null(out_gpu);
    const Result<std::shared_ptr<Gpu>> gpu = open_gpu(gpu_bus_id);
    if (!gpu.ok()) return gpu.status();
    *out_gpu = api::Objects<doca_gpu>::add(
        std::make_unique<doca_gpu>(doca_gpu{std::make_shared<GpuContext>(gpu.value())}));
    return {};
  });
}

doca_error_t doca_gpu_destroy(doca_gpu* gpu) {
  return api::guard("doca_gpu_destroy", [&]() -> Status {
    const uint32_t running = api::need(gpu).context->running.load();
    if (running != 0) {
      return Status(DOCA_ERROR_IN_USE, std::to_string(running) +
                                           " running queue(s) are on this GPU; stop them first");
    }
    api::Objects<doca_gpu>::remove(gpu);
    return {};
  });
}

doca_error_t doca_gpu_mem_alloc(doca_gpu* gpu, size_t size, size_t alignment,
                                enum doca_gpu_mem_type type, void** out_mem_gpu,
                                void** out_mem_cpu) {
  return api::guard("doca_gpu_mem_alloc", [&]() -> Status {
    GpuContext& context = *api::need(gpu).context;
    api::need_not_null(out_mem_gpu);
    const int number = api::number_of(type);
    if (number != DOCA_GPU_MEM_TYPE_GPU && number != DOCA_GPU_MEM_TYPE_GPU_CPU &&
        number != DOCA_GPU_MEM_TYPE_CPU_GPU) {
      return Status(DOCA_ERROR_INVALID_VALUE,
                    "there is no memory type " + std::to_string(number));
    }
    if (type != DOCA_GPU_MEM_TYPE_GPU) api::need_not_null(out_mem_cpu);
    const Result<GpuMemory> memory =
        context.allocate(size, alignment, static_cast<MemoryKind>(type));
    if (!memory.ok()) return memory.status();
    *out_mem_gpu = memory.value().gpu;
    if (out_mem_cpu) *out_mem_cpu = memory.value().cpu;
    return {};
  });
}

doca_error_t doca_gpu_mem_free(doca_gpu* gpu, void* mem_gpu) {
  return api::guard("doca_gpu_mem_free", [&]() -> Status {
    GpuContext& context = *api::need(gpu).context;
    if (mem_gpu == nullptr) return Status(DOCA_ERROR_INVALID_VALUE, "mem_gpu is NULL");
    return context.free_memory(mem_gpu);
  });
}

doca_error_t doca_gpu_dmabuf_fd(doca_gpu* gpu, void* mem_gpu, size_t size, int* out_dmabuf_fd) {
  return api::guard_question("doca_gpu_dmabuf_fd", [&]() -> Status {
    GpuContext& context = *api::need(gpu).context;
    api::need_not_null(out_dmabuf_fd);
    if (mem_gpu == nullptr || size == 0) {
      return Status(DOCA_ERROR_INVALID_VALUE, "mem_gpu is NULL or size is 0");
    }
    return Status(DOCA_ERROR_NOT_SUPPORTED,
                  context.gpu()->name() +
                      " has no dmabufs; use doca_mmap_set_memrange with the GPU address");
  });
}

}  // extern "C"
