// SPDX-License-Identifier: Apache-2.0
// How maps behave is tested in unit/core; here: what a program can do wrong.
#include "kit.h"

namespace warpnic::test {
namespace {

struct MmapTest : ApiTest {
  MmapTest() { make_map(); }
  void stop() { ASSERT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS); }
};

// covers: doca_mmap_create SUCCESS INVALID_VALUE, doca_mmap_destroy SUCCESS INVALID_VALUE
TEST_F(MmapTest, IsCreatedAndDestroyedInAnyState) {
  EXPECT_EQ(doca_mmap_create(nullptr), DOCA_ERROR_INVALID_VALUE);
  doca_mmap* fresh = nullptr;
  ASSERT_EQ(doca_mmap_create(&fresh), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(fresh), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS) << "still started";
  EXPECT_TRUE(nic->regions.empty());
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
}

// covers: doca_mmap_add_dev SUCCESS INVALID_VALUE ALREADY_EXIST FULL BAD_STATE
// covers: doca_mmap_rm_dev SUCCESS INVALID_VALUE NOT_FOUND BAD_STATE
// covers: doca_mmap_set_max_num_devices SUCCESS INVALID_VALUE BAD_STATE
TEST_F(MmapTest, DevicesComeAndGoWhileItIsStopped) {
  EXPECT_EQ(doca_mmap_add_dev(mmap, dev), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_rm_dev(mmap, dev), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_max_num_devices(mmap, 2), DOCA_ERROR_BAD_STATE);
  stop();
  EXPECT_EQ(doca_mmap_add_dev(mmap, dev), DOCA_ERROR_ALREADY_EXIST);
  EXPECT_EQ(doca_mmap_set_max_num_devices(mmap, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_max_num_devices(mmap, 1), DOCA_SUCCESS);
  const auto other_nic = std::make_shared<FakeNic>("0000:fe:01.0");
  doca_dev* const other = api::Objects<doca_dev>::add(std::make_unique<doca_dev>(other_nic));
  EXPECT_EQ(doca_mmap_add_dev(mmap, other), DOCA_ERROR_FULL);
  EXPECT_EQ(doca_mmap_rm_dev(mmap, other), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(doca_mmap_rm_dev(mmap, dev), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_add_dev(mmap, other), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(other), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_add_dev(mmap, other), DOCA_ERROR_INVALID_VALUE) << "closed";
  EXPECT_EQ(doca_mmap_add_dev(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_add_dev(nullptr, dev), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_rm_dev(nullptr, dev), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_rm_dev(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_max_num_devices(nullptr, 2), DOCA_ERROR_INVALID_VALUE);
}

// covers: doca_mmap_set_memrange SUCCESS INVALID_VALUE BAD_STATE
// covers: doca_mmap_set_dmabuf_memrange INVALID_VALUE NOT_SUPPORTED BAD_STATE
// covers: doca_mmap_set_permissions SUCCESS INVALID_VALUE BAD_STATE
TEST_F(MmapTest, IsConfiguredWhileItIsStopped) {
  EXPECT_EQ(doca_mmap_set_memrange(mmap, memory, 64), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap, 0, memory, 0, 64), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE),
            DOCA_ERROR_BAD_STATE);
  stop();
  EXPECT_EQ(doca_mmap_set_memrange(mmap, nullptr, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_memrange(mmap, memory, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_memrange(mmap, memory, SIZE_MAX), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_memrange(nullptr, memory, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap, -1, memory, 0, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap, 0, nullptr, 0, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap, 0, memory, 0, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(nullptr, 0, memory, 0, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap, 0, memory, 0, 64), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_mmap_set_permissions(mmap, 1u << 20), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_permissions(nullptr, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_set_permissions(
                mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING),
            DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  EXPECT_EQ(nic->regions.rbegin()->second, std::pair(memory, size_t{kPacketMemory}))
      << "the range is as before";
}

// covers: doca_mmap_start SUCCESS INVALID_VALUE BAD_STATE NO_MEMORY
// covers: doca_mmap_stop SUCCESS INVALID_VALUE BAD_STATE TIME_OUT, doca_mmap_destroy TIME_OUT
TEST_F(MmapTest, StartsAndStops) {
  EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_BAD_STATE);
  stop();
  EXPECT_EQ(doca_mmap_stop(mmap), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_mmap_set_memrange(mmap, memory, kPacketMemory + 1), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_INVALID_VALUE) << "longer than its allocation";
  ASSERT_EQ(doca_mmap_set_memrange(mmap, memory, kPacketMemory), DOCA_SUCCESS);
  nic->on_register.status = Status(DOCA_ERROR_NO_MEMORY, "no room");
  EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_NO_MEMORY);
  nic->on_register = {};

  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  nic->on_deregister.status = Status(DOCA_ERROR_TIME_OUT, "no answer");
  EXPECT_EQ(doca_mmap_stop(mmap), DOCA_ERROR_TIME_OUT);
  EXPECT_EQ(doca_mmap_stop(mmap), DOCA_ERROR_BAD_STATE) << "it is stopped";
  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_ERROR_TIME_OUT);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS);
}

// covers: doca_mmap_stop IN_USE, doca_mmap_destroy IN_USE
TEST_F(ApiTest, AMapThatARunningQueueUsesStays) {
  start_queue();
  EXPECT_EQ(doca_mmap_stop(mmap), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_ERROR_IN_USE);
  EXPECT_EQ(nic->regions.size(), 1u);
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS);
}

// covers: doca_mmap_get_mkey SUCCESS INVALID_VALUE BAD_STATE NOT_FOUND
TEST_F(MmapTest, KeyIsInCpuByteOrder) {
  nic->next_key = 0x12345680;
  stop();
  uint32_t key = 42;
  EXPECT_EQ(doca_mmap_get_mkey(mmap, dev, &key), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_get_mkey(nullptr, dev, &key), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_get_mkey(mmap, nullptr, &key), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_mmap_get_mkey(mmap, dev, nullptr), DOCA_ERROR_INVALID_VALUE);
  const auto other_nic = std::make_shared<FakeNic>("0000:fe:01.0");
  doca_dev* const other = api::Objects<doca_dev>::add(std::make_unique<doca_dev>(other_nic));
  EXPECT_EQ(doca_mmap_get_mkey(mmap, other, &key), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(doca_dev_close(other), DOCA_SUCCESS);
  EXPECT_EQ(key, 42u);
  EXPECT_EQ(doca_mmap_get_mkey(mmap, dev, &key), DOCA_SUCCESS);
  EXPECT_EQ(key, 0x12345680u);
}

}  // namespace
}  // namespace warpnic::test
