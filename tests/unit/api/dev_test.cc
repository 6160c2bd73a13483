// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstring>

#include "kit.h"

namespace warpnic::test {
namespace {

struct DevTest : ApiTest {
  DevTest() { info = doca_dev_as_devinfo(dev); }
  doca_devinfo* info = nullptr;
};

// covers: doca_devinfo_create_list SUCCESS, doca_devinfo_destroy_list SUCCESS INVALID_VALUE
// covers: doca_dev_open SUCCESS, doca_dev_close SUCCESS INVALID_VALUE
TEST(DevList, HoldsTheDevicesOfTheEnvironment) {
  doca_devinfo** list = nullptr;
  uint32_t count = 0;
  ASSERT_EQ(doca_devinfo_create_list(&list, &count), DOCA_SUCCESS);
  ASSERT_GE(count, 2u);
  char address[DOCA_DEVINFO_PCI_ADDR_SIZE];
  ASSERT_EQ(doca_devinfo_get_pci_addr_str(list[0], address), DOCA_SUCCESS);
  EXPECT_STREQ(address, "0000:fd:00.0");
  ASSERT_EQ(doca_devinfo_get_pci_addr_str(list[1], address), DOCA_SUCCESS);
  EXPECT_STREQ(address, "0000:fd:01.0");
  doca_dev* device = nullptr;
  ASSERT_EQ(doca_dev_open(list[1], &device), DOCA_SUCCESS);
  doca_devinfo* const stale = list[1];
  ASSERT_EQ(doca_devinfo_destroy_list(list), DOCA_SUCCESS);
  EXPECT_EQ(doca_devinfo_destroy_list(list), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_pci_addr_str(stale, address), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(device), address), DOCA_SUCCESS);
  EXPECT_STREQ(address, "0000:fd:01.0") << "an opened device stays valid";
  EXPECT_EQ(doca_dev_close(device), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(device), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_as_devinfo(device), nullptr);
}

// covers: doca_devinfo_create_list INVALID_VALUE
TEST(DevList, RefusesNull) {
  doca_devinfo** list = untouched<doca_devinfo*>();
  uint32_t count = 42;
  EXPECT_EQ(doca_devinfo_create_list(nullptr, &count), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_create_list(&list, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(list, untouched<doca_devinfo*>());
  EXPECT_EQ(count, 42u);
  EXPECT_EQ(doca_devinfo_destroy_list(nullptr), DOCA_ERROR_INVALID_VALUE);
}

/// The first line that `unit_api --list` prints in that environment.
std::string list_with(const std::string& devices) {
  std::string path(4096, '\0');
  path.resize(static_cast<size_t>(readlink("/proc/self/exe", path.data(), path.size())));
  const std::string command = "WARPNIC_DEVICES='" + devices + "' '" + path + "' --list 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  char part[256];
  while (pipe && fgets(part, sizeof part, pipe)) text += part;
  EXPECT_EQ(pclose(pipe), 0);
  return text;
}

// covers: doca_devinfo_create_list NOT_FOUND IO_FAILED NOT_SUPPORTED
TEST(DevList, AWrongEnvironmentIsAnErrorThatNamesThePart) {
  EXPECT_EQ(list_with(""), "DOCA_SUCCESS 0 list\n");
  EXPECT_EQ(list_with(";ff:00.0=gen:size=64;"), "DOCA_SUCCESS 1 list\n");
  const std::string malformed = list_with("ff:00.0=gen:size=64;nonsense");
  EXPECT_NE(malformed.find("DOCA_ERROR_INVALID_VALUE 99 none"), std::string::npos) << malformed;
  EXPECT_NE(malformed.find("'nonsense'"), std::string::npos) << malformed;
  const std::string missing = list_with("ff:00.0=pcap:/no/such/file.pcap");
  EXPECT_NE(missing.find("DOCA_ERROR_NOT_FOUND 99 none"), std::string::npos) << missing;
  EXPECT_NE(missing.find("/no/such/file.pcap"), std::string::npos) << missing;
  const std::string folder = list_with("ff:00.0=pcap:/tmp");
  EXPECT_NE(folder.find("DOCA_ERROR_IO_FAILED 99 none"), std::string::npos) << folder;

  // A capture of another link type: raw IP (101).
  const std::string path = testing::TempDir() + "warpnic-raw-ip.pcap";
  const uint32_t header[] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 101, 0, 0, 1, 1, 0x45};
  FILE* const file = fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  fwrite(header, 1, sizeof header - 3, file);
  fclose(file);
  const std::string raw = list_with("ff:00.0=pcap:" + path);
  EXPECT_NE(raw.find("DOCA_ERROR_NOT_SUPPORTED 99 none"), std::string::npos) << raw;
  unlink(path.c_str());
}

// covers: doca_devinfo_is_equal_pci_addr SUCCESS INVALID_VALUE
TEST_F(DevTest, ComparesAddressesWithAndWithoutDomain) {
  uint8_t equal = 7;
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info, "fe:00.0", &equal), DOCA_SUCCESS);
  EXPECT_EQ(equal, 1);
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info, "0000:FE:00.0", &equal), DOCA_SUCCESS);
  EXPECT_EQ(equal, 1);
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info, "0001:fe:00.0", &equal), DOCA_SUCCESS);
  EXPECT_EQ(equal, 0);
  equal = 7;
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info, "eth0", &equal), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info, nullptr, &equal), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(nullptr, "fe:00.0", &equal), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info, "fe:00.0", nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(equal, 7);
}

// covers: doca_devinfo_get_pci_addr_str SUCCESS INVALID_VALUE
// covers: doca_devinfo_get_iface_name SUCCESS INVALID_VALUE
// covers: doca_devinfo_get_ibdev_name SUCCESS INVALID_VALUE
TEST_F(DevTest, CopiesNamesThatFit) {
  char text[DOCA_DEVINFO_PCI_ADDR_SIZE] = "";
  EXPECT_EQ(doca_devinfo_get_pci_addr_str(info, text), DOCA_SUCCESS);
  EXPECT_STREQ(text, "0000:fe:00.0");
  EXPECT_EQ(doca_devinfo_get_pci_addr_str(info, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_pci_addr_str(nullptr, text), DOCA_ERROR_INVALID_VALUE);
  for (const auto get : {doca_devinfo_get_iface_name, doca_devinfo_get_ibdev_name}) {
    char name[9] = "as it is";
    EXPECT_EQ(get(info, name, 5), DOCA_ERROR_INVALID_VALUE) << "no room for the end";
    EXPECT_EQ(get(info, name, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(info, nullptr, 8), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(nullptr, name, 8), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(std::string(name, 8), "as it is");
    EXPECT_EQ(get(info, name, 6), DOCA_SUCCESS);
    EXPECT_STREQ(name, "fake0");
  }
}

// covers: doca_devinfo_get_mac_addr SUCCESS INVALID_VALUE
TEST_F(DevTest, MacAddressIsLocalUnicastAndFromThePciAddress) {
  uint8_t mac[6] = {9, 9, 9, 9, 9, 9};
  EXPECT_EQ(doca_devinfo_get_mac_addr(info, mac, 5), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_mac_addr(info, nullptr, 6), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_mac_addr(nullptr, mac, 6), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(mac[0], 9);
  ASSERT_EQ(doca_devinfo_get_mac_addr(info, mac, 6), DOCA_SUCCESS);
  const uint8_t expected[6] = {0x02, 0, 0, 0xfe, 0, 0};
  EXPECT_EQ(std::memcmp(mac, expected, 6), 0);
}

// covers: doca_devinfo_get_pci_func_type SUCCESS INVALID_VALUE
// covers: doca_devinfo_get_sf_index NOT_SUPPORTED INVALID_VALUE
TEST_F(DevTest, IsAPhysicalFunction) {
  doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_SF;
  EXPECT_EQ(doca_devinfo_get_pci_func_type(nullptr, &type), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_pci_func_type(info, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(type, DOCA_PCI_FUNC_TYPE_SF);
  EXPECT_EQ(doca_devinfo_get_pci_func_type(info, &type), DOCA_SUCCESS);
  EXPECT_EQ(type, DOCA_PCI_FUNC_TYPE_PF);
  uint32_t index = 5;
  EXPECT_EQ(doca_devinfo_get_sf_index(info, &index), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_devinfo_get_sf_index(info, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_sf_index(nullptr, &index), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(index, 5u);
}

// covers: doca_dev_open INVALID_VALUE, doca_dev_as_devinfo
TEST_F(DevTest, OpensSeveralTimes) {
  doca_dev* first = untouched<doca_dev>();
  EXPECT_EQ(doca_dev_open(nullptr, &first), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_open(info, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(first, untouched<doca_dev>());
  doca_dev* second = nullptr;
  ASSERT_EQ(doca_dev_open(info, &first), DOCA_SUCCESS);
  ASSERT_EQ(doca_dev_open(doca_dev_as_devinfo(first), &second), DOCA_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_EQ(doca_dev_close(first), DOCA_SUCCESS);
  EXPECT_NE(doca_dev_as_devinfo(second), nullptr);
  EXPECT_EQ(doca_dev_close(second), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_as_devinfo(nullptr), nullptr);
}

// covers: doca_devinfo_rep_create_list SUCCESS INVALID_VALUE
// covers: doca_devinfo_rep_destroy_list SUCCESS INVALID_VALUE
// covers: doca_devinfo_rep_is_equal_pci_addr NOT_SUPPORTED INVALID_VALUE
// covers: doca_devinfo_rep_get_vuid NOT_SUPPORTED INVALID_VALUE
// covers: doca_dev_rep_open NOT_SUPPORTED INVALID_VALUE
// covers: doca_dev_rep_close NOT_SUPPORTED INVALID_VALUE
TEST_F(DevTest, HasNoRepresentors) {
  doca_devinfo_rep** list = untouched<doca_devinfo_rep*>();
  uint32_t count = 5;
  const auto filter = DOCA_DEVINFO_REP_FILTER_ALL;
  EXPECT_EQ(doca_devinfo_rep_create_list(nullptr, filter, &list, &count),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_create_list(dev, filter, nullptr, &count), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_create_list(dev, filter, &list, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(list, untouched<doca_devinfo_rep*>());
  EXPECT_EQ(count, 5u);
  ASSERT_EQ(doca_devinfo_rep_create_list(dev, filter, &list, &count), DOCA_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(doca_devinfo_rep_destroy_list(list), DOCA_SUCCESS);
  EXPECT_EQ(doca_devinfo_rep_destroy_list(nullptr), DOCA_ERROR_INVALID_VALUE);

  // No representor can be had, so any pointer that is not NULL stands for one.
  auto* const rep = untouched<doca_devinfo_rep>();
  auto* const opened = untouched<doca_dev_rep>();
  uint8_t equal = 5;
  char vuid[DOCA_DEVINFO_REP_VUID_SIZE] = "";
  doca_dev_rep* out = nullptr;
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(rep, "fe:00.0", &equal), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(nullptr, "fe:00.0", &equal),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_vuid(rep, vuid, sizeof vuid), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_devinfo_rep_get_vuid(rep, nullptr, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_rep_open(rep, &out), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_dev_rep_open(rep, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_rep_close(opened), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_dev_rep_close(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(equal, 5);
  EXPECT_EQ(out, nullptr);
}

}  // namespace
}  // namespace warpnic::test
