// SPDX-License-Identifier: Apache-2.0
// Codes, and enums that a C program fills with any number (from_c.c).
#include <climits>
#include <cstring>
#include <set>
#include <string>

#include "kit.h"

extern "C" {
const char* name_of_number(int number);
const char* sentence_of_number(int number);
doca_error_t is_type_supported(const doca_devinfo* devinfo, int type, int data_path_type);
doca_error_t set_type(doca_eth_rxq* rxq, int type);
doca_error_t estimate_type(int type, uint32_t* out_size);
doca_error_t allocate_type(doca_gpu* gpu, int type, void** out_gpu, void** out_cpu);
}

namespace warpnic::test {
namespace {

// covers: doca_error_get_name, doca_error_get_descr
TEST(ErrorCodes, EachHasANameAndASentenceOfItsOwn) {
  std::set<std::string> names, sentences;
  for (int code = 0; code <= DOCA_ERROR_DEVICE_FATAL_ERROR; ++code) {
    names.insert(name_of_number(code));
    sentences.insert(sentence_of_number(code));
  }
  EXPECT_EQ(names.size(), 32u);
  EXPECT_EQ(sentences.size(), 32u);
  EXPECT_EQ(names.count("DOCA_SUCCESS"), 1u);
  for (const std::string& name : names) {
    EXPECT_TRUE(name == "DOCA_SUCCESS" || name.rfind("DOCA_ERROR_", 0) == 0) << name;
  }
  EXPECT_STREQ(doca_error_get_name(DOCA_ERROR_BAD_STATE), "DOCA_ERROR_BAD_STATE");
}

TEST(ErrorCodes, OtherNumbersHaveATextToo) {
  for (const int number : {-1, 32, 255, INT_MAX, INT_MIN}) {
    EXPECT_NE(std::strstr(name_of_number(number), "no such code"), nullptr);
    EXPECT_NE(sentence_of_number(number)[0], '\0');
  }
}

TEST(ErrorCodes, PropagateKeepsTheFirstFailure) {
  doca_error_t status = DOCA_SUCCESS;
  DOCA_ERROR_PROPAGATE(status, DOCA_ERROR_FULL);
  DOCA_ERROR_PROPAGATE(status, DOCA_ERROR_EMPTY);
  EXPECT_EQ(status, DOCA_ERROR_FULL);
}

TEST_F(ApiTest, NumbersThatAreNoEnumeratorsAreRefused) {
  make_queue();
  const doca_devinfo* const info = doca_dev_as_devinfo(dev);
  for (const int number : {-1, 3, 4, 77, INT_MAX, INT_MIN}) {
    uint32_t size = 42;
    void* of_gpu = untouched<void>();
    void* of_cpu = untouched<void>();
    EXPECT_EQ(is_type_supported(info, number, 1), DOCA_ERROR_INVALID_VALUE) << number;
    EXPECT_EQ(is_type_supported(info, 1, number), DOCA_ERROR_INVALID_VALUE) << number;
    EXPECT_EQ(set_type(rxq, number), DOCA_ERROR_INVALID_VALUE) << number;
    EXPECT_EQ(estimate_type(number, &size), DOCA_ERROR_INVALID_VALUE) << number;
    EXPECT_EQ(allocate_type(gpu, number, &of_gpu, &of_cpu), DOCA_ERROR_INVALID_VALUE) << number;
    EXPECT_EQ(size, 42u);
    EXPECT_EQ(of_gpu, untouched<void>());
    EXPECT_EQ(of_cpu, untouched<void>());
  }
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS) << "the type is as before";
}

}  // namespace
}  // namespace warpnic::test
