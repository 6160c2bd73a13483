// SPDX-License-Identifier: Apache-2.0
// Reads "kind:TEXT,key=value,...", and says which part is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"

namespace warpnic {

struct Spec {
  std::string kind;  ///< "pcap"
  std::string name;  ///< what stands before the options, e.g. a file; may hold commas
  std::vector<std::pair<std::string, std::string>> options;
};

/// `keys` are the options that the kind knows. A trailing ",key=value" with a known key is an
/// option; everything before the first of them is the name.
Spec split_spec(const std::string& text, const std::vector<std::string>& keys);

/// A decimal number of least..most. INVALID_VALUE names key, value and range.
Result<uint64_t> option_number(const std::string& key, const std::string& value, uint64_t least,
                               uint64_t most);

/// The position of value among `choices`. INVALID_VALUE names them.
Result<unsigned> option_choice(const std::string& key, const std::string& value,
                               const std::vector<std::string>& choices);

}  // namespace warpnic
