// SPDX-License-Identifier: Apache-2.0
#include "core/pci_address.h"

#include <gtest/gtest.h>

namespace warpnic {
namespace {

TEST(PciAddress, ShortAndLongFormNameTheSameFunction) {
  EXPECT_EQ(full_pci_address("ff:00.0").value(), "0000:ff:00.0");
  EXPECT_EQ(full_pci_address("0000:ff:00.0").value(), "0000:ff:00.0");
  EXPECT_EQ(full_pci_address("12ab:CA:1F.7").value(), "12ab:ca:1f.7");
}

TEST(PciAddress, RefusesWhatIsNoneAndNamesIt) {
  for (const char* text : {"", "ff", "ff:00", "ff:00.8", "ff:00.0 ", " ff:00.0", "ff.00:0", "ff:20.0",
                           "gg:00.0", "00000:ff:00.0", "0000:ff:00.00", "0000-ff:00.0"}) {
    const Result<std::string> address = full_pci_address(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.status().code(), DOCA_ERROR_INVALID_VALUE);
    EXPECT_NE(address.status().cause().find("'" + std::string(text) + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpnic
