// SPDX-License-Identifier: Apache-2.0
#include "kit.h"

namespace warpnic::test {
namespace {

using GpunetioTest = ApiTest;

// covers: doca_gpu_create SUCCESS INVALID_VALUE NOT_FOUND NOT_SUPPORTED
// covers: doca_gpu_destroy SUCCESS INVALID_VALUE
TEST(Gpunetio, OpensTheGpusThereAre) {
  doca_gpu* opened = untouched<doca_gpu>();
  EXPECT_EQ(doca_gpu_create(nullptr, &opened), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_create("GPU 0", &opened), DOCA_ERROR_INVALID_VALUE);
  const std::vector<std::string> ids = gpu_bus_ids();
  // Without any, the build is one that cannot use GPUs yet.
  const doca_error_t unknown = ids.empty() ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_NOT_FOUND;
  EXPECT_EQ(doca_gpu_create("0000:01:00.0", &opened), unknown);
  EXPECT_EQ(opened, untouched<doca_gpu>());
  EXPECT_EQ(doca_gpu_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  for (const std::string& id : ids) {
    EXPECT_EQ(doca_gpu_create(id.c_str(), nullptr), DOCA_ERROR_INVALID_VALUE);
    ASSERT_EQ(doca_gpu_create(id.c_str(), &opened), DOCA_SUCCESS);
    EXPECT_EQ(doca_gpu_destroy(opened), DOCA_SUCCESS);
    EXPECT_EQ(doca_gpu_destroy(opened), DOCA_ERROR_INVALID_VALUE);
  }
}

// covers: doca_gpu_destroy IN_USE
TEST_F(GpunetioTest, IsNotClosedWhileAQueueRunsOnIt) {
  start_queue();
  EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_ERROR_IN_USE);
  EXPECT_EQ(fake_gpu->live.count(&handle()), 1u) << "nothing is freed";
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_SUCCESS) << "though the idle queue names it";
}

// covers: doca_gpu_mem_alloc SUCCESS INVALID_VALUE NO_MEMORY
TEST_F(GpunetioTest, AllocatesEachTypeOfMemory) {
  void* for_gpu = nullptr;
  void* for_cpu = untouched<void>();
  ASSERT_EQ(doca_gpu_mem_alloc(gpu, 100, 64, DOCA_GPU_MEM_TYPE_GPU, &for_gpu, &for_cpu),
            DOCA_SUCCESS);
  EXPECT_NE(for_gpu, nullptr);
  EXPECT_EQ(for_cpu, nullptr);
  ASSERT_EQ(doca_gpu_mem_alloc(gpu, 100, 64, DOCA_GPU_MEM_TYPE_GPU, &for_gpu, nullptr),
            DOCA_SUCCESS);
  for (const auto type : {DOCA_GPU_MEM_TYPE_GPU_CPU, DOCA_GPU_MEM_TYPE_CPU_GPU}) {
    for_gpu = for_cpu = untouched<void>();
    EXPECT_EQ(doca_gpu_mem_alloc(gpu, 100, 64, type, &for_gpu, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(for_gpu, untouched<void>());
    ASSERT_EQ(doca_gpu_mem_alloc(gpu, 100, 64, type, &for_gpu, &for_cpu), DOCA_SUCCESS);
    EXPECT_NE(for_cpu, nullptr);
    EXPECT_NE(for_cpu, untouched<void>());
  }
  for_gpu = for_cpu = untouched<void>();
  EXPECT_EQ(doca_gpu_mem_alloc(nullptr, 100, 64, DOCA_GPU_MEM_TYPE_GPU, &for_gpu, &for_cpu),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_mem_alloc(gpu, 100, 64, DOCA_GPU_MEM_TYPE_GPU, nullptr, &for_cpu),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_mem_alloc(gpu, 0, 64, DOCA_GPU_MEM_TYPE_GPU, &for_gpu, &for_cpu),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_mem_alloc(gpu, 100, 48, DOCA_GPU_MEM_TYPE_GPU, &for_gpu, &for_cpu),
            DOCA_ERROR_INVALID_VALUE);
  fake_gpu->allocations_until_failure = 0;
  EXPECT_EQ(doca_gpu_mem_alloc(gpu, 100, 64, DOCA_GPU_MEM_TYPE_GPU, &for_gpu, &for_cpu),
            DOCA_ERROR_NO_MEMORY);
  EXPECT_EQ(for_gpu, untouched<void>());
  EXPECT_EQ(for_cpu, untouched<void>());
}

// covers: doca_gpu_mem_free SUCCESS INVALID_VALUE
TEST_F(GpunetioTest, FreesByTheGpuAddressOnce) {
  void* for_gpu = nullptr;
  ASSERT_EQ(doca_gpu_mem_alloc(gpu, 100, 64, DOCA_GPU_MEM_TYPE_GPU, &for_gpu, nullptr),
            DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_mem_free(gpu, static_cast<char*>(for_gpu) + 8), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_mem_free(gpu, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_mem_free(nullptr, for_gpu), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_mem_free(gpu, for_gpu), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_mem_free(gpu, for_gpu), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fake_gpu->pieces(), 0u);
}

// covers: doca_gpu_dmabuf_fd INVALID_VALUE NOT_SUPPORTED
TEST_F(GpunetioTest, HasNoDmabufs) {
  int fd = 42;
  EXPECT_EQ(doca_gpu_dmabuf_fd(gpu, this, 64, &fd), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_gpu_dmabuf_fd(nullptr, this, 64, &fd), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_dmabuf_fd(gpu, nullptr, 64, &fd), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_dmabuf_fd(gpu, this, 0, &fd), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_gpu_dmabuf_fd(gpu, this, 64, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fd, 42);
}

}  // namespace
}  // namespace warpnic::test
