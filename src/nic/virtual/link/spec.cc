// SPDX-License-Identifier: Apache-2.0
#include "nic/virtual/link/spec.h"

#include <algorithm>
#include <charconv>

namespace warpnic {
namespace {

bool is_option(const std::string& part, const std::vector<std::string>& keys) {
  const size_t equals = part.find('=');
  return equals != std::string::npos &&
         std::find(keys.begin(), keys.end(), part.substr(0, equals)) != keys.end();
}

}  // namespace

Spec split_spec(const std::string& text, const std::vector<std::string>& keys) {
  Spec spec;
  const size_t colon = text.find(':');
  spec.kind = text.substr(0, colon);
  if (colon == std::string::npos) return spec;
  spec.name = text.substr(colon + 1);
  while (true) {  // options are taken from the end
    const size_t comma = spec.name.rfind(',');
    const std::string last =
        comma == std::string::npos ? spec.name : spec.name.substr(comma + 1);
    if (!is_option(last, keys)) break;
    const size_t equals = last.find('=');
    spec.options.insert(spec.options.begin(),
                        {last.substr(0, equals), last.substr(equals + 1)});
    spec.name.erase(comma == std::string::npos ? 0 : comma);
    if (spec.name.empty()) break;
  }
  return spec;
}

Result<uint64_t> option_number(const std::string& key, const std::string& value, uint64_t least,
                               uint64_t most) {
  uint64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stopped != end || number < least || number > most) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  key + "=" + value + ": a number from " + std::to_string(least) + " to " +
                      std::to_string(most) + " is expected");
  }
  return number;
}

Result<unsigned> option_choice(const std::string& key, const std::string& value,
                               const std::vector<std::string>& choices) {
  std::string all;
  for (unsigned i = 0; i < choices.size(); ++i) {
    if (choices[i] == value) return i;
    all += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  return Status(DOCA_ERROR_INVALID_VALUE, key + "=" + value + ": it can be " + all);
}

}  // namespace warpnic
