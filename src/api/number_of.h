// SPDX-License-Identifier: Apache-2.0
// Enums that come from C.
#pragma once

#include <cstring>

namespace warpnic::api {

/// The number in an enum that a C program passed, which need not be one of the enumerators: to read
/// such an enum as what it says it is would be undefined in C++.
template <class Enum>
int number_of(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int), "C enums are ints");
  int number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

}  // namespace warpnic::api
