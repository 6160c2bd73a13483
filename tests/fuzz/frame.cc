// SPDX-License-Identifier: Apache-2.0
// Any bytes as a frame: the engine's parser and the flow counter's read none behind its end
// (AddressSanitizer: the copy has the exact size), and agree on whose frame it is.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "flows/parse.h"
#include "nic/virtual/engine/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpnic::engine;
  static const Toeplitz* const rss = [] {
    auto* made = new Toeplitz();
    toeplitz_init_symmetric(*made);
    return made;
  }();
  const std::unique_ptr<uint8_t[]> frame(new uint8_t[size]);
  if (size != 0) std::memcpy(frame.get(), data, size);
  const auto bytes = static_cast<uint32_t>(size);
  const Headers headers = parse_headers(*rss, frame.get(), bytes);
  const flows::Parsed parsed = flows::parse(frame.get(), bytes);
  if (parsed.kind == flows::Kind::kFlow) {
    const flows::Key& key = parsed.key;
    if (key.version() != 4 && key.version() != 6) abort();
    if (key.last == 0) abort();
    if ((key.source_port() || key.destination_port()) &&
        flows::header_bytes_with_ports(key.protocol()) == 0) {
      abort();
    }
  } else if (parsed.kind == flows::Kind::kNonIp && headers.hash_type != 0) {
    abort();  // the engine took it for IP, the counter did not
  }
  return 0;
}
