// SPDX-License-Identifier: Apache-2.0
// How NICs are found: the environment, and adding one.
#include <gtest/gtest.h>

#include <cstdlib>

#include "nic/nic.h"

namespace warpnic {
namespace {

/// The environment is read once in a process, so each case is a process of its own.
void in_fresh_process(const char* devices, bool (*holds)()) {
  EXPECT_EXIT(
      {
        setenv("WARPNIC_DEVICES", devices, 1);
        std::_Exit(holds() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

bool says(const Status& status, const char* text) {
  return status.cause().find(text) != std::string::npos;
}

TEST(Registry, nics_of_the_environment_have_their_addresses) {
  in_fresh_process("ff:00.0=gen:size=64;0000:FF:03.0=gen:size=imix,flows=3;", [] {
    const auto nics = all_nics();
    return nics.ok() && nics.value().size() == 2 &&
           nics.value()[0]->pci_address() == "0000:ff:00.0" &&
           nics.value()[0]->describe() == "gen:size=64" && nics.value()[0]->name() == "vnic0" &&
           nics.value()[1]->pci_address() == "0000:ff:03.0" && nics.value()[1]->name() == "vnic1";
  });
}

TEST(Registry, no_environment_no_nics) {
  in_fresh_process("", [] {
    const auto nics = all_nics();
    return nics.ok() && nics.value().empty();
  });
}

TEST(Registry, a_wrong_part_of_the_environment_is_named) {
  in_fresh_process("ff:00.0=gen:size=64;ff:01.0", [] {
    const auto nics = all_nics();
    return !nics.ok() && nics.status().code() == DOCA_ERROR_INVALID_VALUE &&
           says(nics.status(), "'ff:01.0'") && says(nics.status(), "WARPNIC_DEVICES");
  });
  in_fresh_process("ff:00.0=gen:size=64;ff:01.0=gen:size=1", [] {
    const auto nics = all_nics();
    return !nics.ok() && says(nics.status(), "ff:01.0=gen:size=1");
  });
  in_fresh_process("zz:00.0=gen:size=64", [] {
    const auto nics = all_nics();
    return !nics.ok() && nics.status().code() == DOCA_ERROR_INVALID_VALUE;
  });
  in_fresh_process("ff:00.0=pcap:/nonexistent.pcap", [] {
    const auto nics = all_nics();
    return !nics.ok() && nics.status().code() == DOCA_ERROR_NOT_FOUND;
  });
}

TEST(Registry, added_nics_are_listed_and_addresses_are_unique) {
  in_fresh_process("ff:01.0=gen:size=64", [] {
    const auto taken = add_virtual_nic("ff:01.0", "gen:size=64");
    const auto first = add_virtual_nic("", "gen:size=64");
    const auto second = add_virtual_nic("", "gen:size=64");
    const auto nics = all_nics();
    return taken.status().code() == DOCA_ERROR_ALREADY_EXIST && first.ok() && second.ok() &&
           first.value()->pci_address() == "0000:ff:00.0" &&
           second.value()->pci_address() == "0000:ff:02.0" && nics.ok() &&
           nics.value().size() == 3;
  });
}

TEST(Registry, addresses_that_are_none_are_refused) {
  in_fresh_process("", [] {
    for (const char* wrong : {"ff", "ff:00", "ff:00.9", "0000:ff:00.0x", "g0:00.0"}) {
      const auto nic = add_virtual_nic(wrong, "gen:size=64");
      if (nic.ok() || nic.status().code() != DOCA_ERROR_INVALID_VALUE) return false;
    }
    return true;
  });
}

}  // namespace
}  // namespace warpnic
