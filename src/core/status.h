// SPDX-License-Identifier: Apache-2.0
// How functions inside the library say that they failed: a code of DOCA's and a sentence that
// names the cause and the remedy. Detected once, logged once (at the C edge, api::guard), passed
// on silently.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "doca_error.h"

namespace warpnic {

/// Success, or a code with its cause.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(doca_error_t code, std::string cause) : code_(code), cause_(std::move(cause)) {}

  bool ok() const { return code_ == DOCA_SUCCESS; }
  doca_error_t code() const { return code_; }
  /// One sentence for a person, without a full stop at its end; empty on success.
  const std::string& cause() const { return cause_; }

 private:
  doca_error_t code_ = DOCA_SUCCESS;
  std::string cause_;
};

/// A T, or why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() { return *value_; }
  const T& value() const { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace warpnic
