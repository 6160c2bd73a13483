// SPDX-License-Identifier: Apache-2.0
// The devices of the environment are read once, so they are set before anything else. As
// `unit_api --list`, with the environment it is given, the program prints the code of the first
// listing and how many devices there were.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "doca_dev.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--list") == 0) {
    doca_devinfo** list = nullptr;
    uint32_t count = 99;
    const doca_error_t status = doca_devinfo_create_list(&list, &count);
    std::printf("%s %u %s\n", doca_error_get_name(status), count, list ? "list" : "none");
    return 0;
  }
  setenv("WARPNIC_DEVICES", "fd:00.0=gen:size=64;0000:fd:01.0=gen:size=128", 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
