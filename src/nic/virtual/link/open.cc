// SPDX-License-Identifier: Apache-2.0
// From a spec to a link.
#include "nic/virtual/link/gen.h"
#include "nic/virtual/link/link.h"
#include "nic/virtual/link/pcap.h"
#include "nic/virtual/link/spec.h"

namespace warpnic {
namespace {

Status unknown_option(const std::string& kind, const std::string& part, const std::string& known) {
  return Status(DOCA_ERROR_INVALID_VALUE,
                "'" + part + "' is not an option of " + kind + ": it has " + known);
}

Result<std::unique_ptr<Link>> open_pcap(const std::string& text) {
  const Spec spec = split_spec(text, {"speed", "repeat"});
  PcapSpeed speed = PcapSpeed::kMax;
  uint64_t repeat = 1;
  for (const auto& [key, value] : spec.options) {
    if (key == "speed") {
      const Result<unsigned> choice = option_choice(key, value, {"max", "recorded"});
      if (!choice.ok()) return choice.status();
      speed = choice.value() == 0 ? PcapSpeed::kMax : PcapSpeed::kRecorded;
    } else {
      const Result<uint64_t> number = option_number(key, value, 1, UINT64_MAX);
      if (!number.ok()) return number.status();
      repeat = number.value();
    }
  }
  if (spec.name.empty()) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "'" + text + "' names no file: pcap:FILE[,speed=max|recorded][,repeat=N]");
  }
  Result<std::unique_ptr<Link>> link = open_pcap_link(spec.name, speed, repeat);
  if (link.status().code() == DOCA_ERROR_NOT_FOUND && spec.name.find(',') != std::string::npos) {
    return Status(DOCA_ERROR_NOT_FOUND, link.status().cause() +
                                            " (options after the name can be speed=max|recorded "
                                            "and repeat=N)");
  }
  return link;
}

Status set_gen_option(GenOptions& options, const std::string& key, const std::string& value) {
  const auto number = [&](uint64_t least, uint64_t most, auto& target) -> Status {
    const Result<uint64_t> result = option_number(key, value, least, most);
    if (!result.ok()) return result.status();
    target = static_cast<std::remove_reference_t<decltype(target)>>(result.value());
    return {};
  };
  if (key == "size" && value == "imix") {
    options.size = 0;
    return {};
  }
  if (key == "size") return number(60, 65535, options.size);
  if (key == "flows") return number(1, 1u << 24, options.flows);
  if (key == "seed") return number(0, UINT64_MAX, options.seed);
  if (key == "count") return number(1, UINT64_MAX, options.count);
  if (key == "rate" && value == "max") {
    options.rate = 0;
    return {};
  }
  if (key == "rate") return number(1, 1000000000, options.rate);
  const Result<unsigned> protocol = option_choice(key, value, {"udp", "tcp", "icmp", "mix"});
  if (!protocol.ok()) return protocol.status();
  options.udp = protocol.value() == 0 || protocol.value() == 3;
  options.tcp = protocol.value() == 1 || protocol.value() == 3;
  options.icmp = protocol.value() == 2 || protocol.value() == 3;
  return {};
}

Result<std::unique_ptr<Link>> open_gen(const std::string& text) {
  const Spec spec = split_spec(text, {"size", "flows", "rate", "seed", "count", "proto"});
  if (!spec.name.empty()) {
    return unknown_option("gen", spec.name,
                          "size=BYTES|imix, flows=N, rate=FRAMES_PER_S|max, seed=N, count=N, "
                          "proto=udp|tcp|icmp|mix");
  }
  GenOptions options;
  for (const auto& [key, value] : spec.options) {
    const Status status = set_gen_option(options, key, value);
    if (!status.ok()) return status;
  }
  return open_gen_link(options);
}

}  // namespace

Result<std::unique_ptr<Link>> open_link(const std::string& spec) {
  const std::string kind = spec.substr(0, spec.find(':'));
  if (kind == "pcap") return open_pcap(spec);
  if (kind == "gen") return open_gen(spec);
  return Status(DOCA_ERROR_INVALID_VALUE,
                "'" + spec + "' begins with no known kind of link: pcap:FILE[,speed=max|recorded]"
                "[,repeat=N] or gen:KEY=VALUE,...");
}

}  // namespace warpnic
