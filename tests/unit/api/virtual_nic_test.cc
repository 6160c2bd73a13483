// SPDX-License-Identifier: Apache-2.0
#include "warpnic/virtual_nic.hpp"

#include "kit.h"

namespace warpnic::test {
namespace {

// covers: create_virtual_nic SUCCESS INVALID_VALUE ALREADY_EXIST NOT_FOUND IO_FAILED NOT_SUPPORTED
TEST(VirtualNicApi, CreatesDevicesThatAreListedFromThenOn) {
  std::string address, why;
  ASSERT_EQ(create_virtual_nic("FC:02.0", "gen:size=64", &address, &why), DOCA_SUCCESS) << why;
  EXPECT_EQ(address, "0000:fc:02.0");
  std::string chosen;
  ASSERT_EQ(create_virtual_nic("", "gen:size=64", &chosen, nullptr), DOCA_SUCCESS);
  doca_devinfo** list = nullptr;
  uint32_t count = 0, found = 0;
  ASSERT_EQ(doca_devinfo_create_list(&list, &count), DOCA_SUCCESS);
  for (uint32_t i = 0; i < count; ++i) {
    for (const std::string& one : {address, chosen}) {
      uint8_t equal = 0;
      ASSERT_EQ(doca_devinfo_is_equal_pci_addr(list[i], one.c_str(), &equal), DOCA_SUCCESS);
      found += equal;
    }
  }
  EXPECT_EQ(found, 2u);
  EXPECT_EQ(doca_devinfo_destroy_list(list), DOCA_SUCCESS);

  EXPECT_EQ(create_virtual_nic("fc:02.0", "gen:size=64", &address, &why),
            DOCA_ERROR_ALREADY_EXIST);
  EXPECT_NE(why.find("0000:fc:02.0"), std::string::npos) << why;
  EXPECT_EQ(create_virtual_nic("fc:03.0", "tin:can", &address, &why), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_virtual_nic("eth0", "gen:size=64", &address, &why), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_virtual_nic("", "pcap:/no/such.pcap", &address, &why), DOCA_ERROR_NOT_FOUND);
  EXPECT_NE(why.find("/no/such.pcap"), std::string::npos) << why;
  EXPECT_EQ(create_virtual_nic("", "pcap:/tmp", &address, nullptr), DOCA_ERROR_IO_FAILED);
  EXPECT_EQ(create_virtual_nic("", "pcap:/no/such.pcap", nullptr, nullptr), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(address, "0000:fc:02.0") << "untouched by failures";
}

// covers: get_nic_statistics SUCCESS INVALID_VALUE
TEST_F(ApiTest, StatisticsNameEveryCauseOfADrop) {
  nic->counted.frames = 10;
  nic->counted.bytes = 640;
  nic->counted.delivered = 6;
  nic->counted.in_flight = 1;
  for (unsigned cause = 0; cause < kDropCauses; ++cause) nic->counted.dropped[cause] = cause;
  nic->ended = true;
  nic->warning = "cut";
  NicStatistics statistics;
  statistics.frames = 42;
  EXPECT_EQ(get_nic_statistics(nullptr, &statistics), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_nic_statistics(dev, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(statistics.frames, 42u);
  ASSERT_EQ(get_nic_statistics(dev, &statistics), DOCA_SUCCESS);
  EXPECT_EQ(statistics.frames, 10u);
  EXPECT_EQ(statistics.bytes, 640u);
  EXPECT_EQ(statistics.delivered, 6u);
  EXPECT_EQ(statistics.in_flight, 1u);
  ASSERT_EQ(statistics.dropped.size(), size_t{kDropCauses});
  for (unsigned cause = 0; cause < kDropCauses; ++cause) {
    EXPECT_EQ(statistics.dropped[cause],
              std::pair(std::string(drop_name(static_cast<Drop>(cause))), uint64_t{cause}));
  }
  EXPECT_TRUE(statistics.link_ended);
  EXPECT_EQ(statistics.link_warning, "cut");
}

}  // namespace
}  // namespace warpnic::test
