// Kernels in static libraries, in shared ones opened at run time, and again after closing.
#include <dlfcn.h>
#include <gtest/gtest.h>

extern "C" int plugin_run();
extern "C" int host_only_c();
int host_only_cc();

TEST(Libraries, StaticLibraryHasItsOwnVariables) {
  EXPECT_EQ(1, plugin_run());
  EXPECT_EQ(2, plugin_run());
}

TEST(Libraries, OpenedLibraryRegistersAndUnregisters) {
  for (int round = 0; round < 2; round++) {
    void* handle = dlopen(WARPNIC_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(nullptr, handle) << dlerror();
    auto* run = reinterpret_cast<int (*)()>(dlsym(handle, "plugin_run"));
    ASSERT_NE(nullptr, run);
    EXPECT_EQ(1, run());
    EXPECT_EQ(2, run());
    EXPECT_EQ(0, dlclose(handle));
  }
}

TEST(Libraries, HeadersServePlainCAndCpp) {
  EXPECT_EQ(0, host_only_c());
  EXPECT_EQ(0, host_only_cc());
}
