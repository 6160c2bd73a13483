// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

namespace flows {

bool Merger::Less::operator()(const Key& a, const Key& b) const {
  const int order = std::memcmp(a.address, b.address, sizeof a.address);
  return order != 0 ? order < 0 : a.last < b.last;
}

void Merger::add(const Entry* entries, const uint64_t* first_ns, uint32_t places,
                 const Totals& totals) {
  for (uint32_t i = 0; i < places; ++i) {
    const Entry& entry = entries[i];
    if (entry.last == kEmpty) continue;
    Key key{};
    std::memcpy(key.address, entry.address, sizeof key.address);
    key.last = entry.last;
    Flow& flow = flows_[key];
    flow.first_ns = flow.frames == 0 ? first_ns[i] : std::min(flow.first_ns, first_ns[i]);
    flow.last_ns = std::max(flow.last_ns, entry.last_ns);
    flow.key = key;
    flow.frames += entry.frames;
    flow.bytes += entry.bytes;
  }
  sums_.received_frames += totals.frames;
  sums_.malformed += totals.malformed;
  sums_.untracked_frames += totals.untracked_frames;
  sums_.untracked_bytes += totals.untracked_bytes;
  for (uint32_t type = 0; type < 65536; ++type) {
    if (totals.non_ip[type]) sums_.non_ip[static_cast<uint16_t>(type)] += totals.non_ip[type];
  }
}

void Merger::finish(Outcome& outcome) {
  outcome.received_frames = sums_.received_frames;
  outcome.malformed = sums_.malformed;
  outcome.untracked_frames = sums_.untracked_frames;
  outcome.untracked_bytes = sums_.untracked_bytes;
  outcome.non_ip = sums_.non_ip;
  for (const auto& [key, flow] : flows_) outcome.flows.push_back(flow);
  std::sort(outcome.flows.begin(), outcome.flows.end(), [](const Flow& a, const Flow& b) {
    if (a.frames != b.frames) return a.frames > b.frames;
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return Less()(a.key, b.key);
  });
}

std::string address_text(const Key& key, bool source) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(key.version() == 4 ? AF_INET : AF_INET6, &key.address[source ? 0 : 2], text,
            sizeof text);
  return text;
}

namespace {

std::string type_text(uint16_t type) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%04x", type);
  return text;
}

std::string protocol_text(uint8_t protocol) {
  switch (protocol) {
    case 1: return "icmp";
    case 6: return "tcp";
    case 17: return "udp";
    case 58: return "icmp6";
    case 132: return "sctp";
    case 136: return "udplite";
    default: return std::to_string(protocol);
  }
}

std::string end_text(const Key& key, bool source) {
  const uint16_t port = source ? key.source_port() : key.destination_port();
  const std::string address = address_text(key, source);
  if (port == 0) return address;
  return (key.version() == 6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

std::string time_text(uint64_t ns) {
  const std::time_t seconds = static_cast<std::time_t>(ns / 1000000000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[40];
  const size_t length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &utc);
  std::snprintf(text + length, sizeof text - length, ".%03u",
                static_cast<unsigned>(ns / 1000000 % 1000));
  return text;
}

}  // namespace

void print_table(const Outcome& outcome, const Options& options) {
  const size_t shown = std::min<size_t>(options.top, outcome.flows.size());
  size_t source_width = 6, destination_width = 11;
  for (size_t i = 0; i < shown; ++i) {
    source_width = std::max(source_width, end_text(outcome.flows[i].key, true).size());
    destination_width = std::max(destination_width, end_text(outcome.flows[i].key, false).size());
  }
  const int source = static_cast<int>(source_width);
  const int destination = static_cast<int>(destination_width);
  std::printf("%-*s  %-*s  %-7s %10s %12s  %-23s %12s\n", source, "source", destination,
              "destination", "proto", "frames", "bytes", "first seen (UTC)", "seconds");
  for (size_t i = 0; i < shown; ++i) {
    const Flow& flow = outcome.flows[i];
    std::printf("%-*s  %-*s  %-7s %10llu %12llu  %-23s %12.6f\n", source,
                end_text(flow.key, true).c_str(), destination, end_text(flow.key, false).c_str(),
                protocol_text(flow.key.protocol()).c_str(),
                static_cast<unsigned long long>(flow.frames),
                static_cast<unsigned long long>(flow.bytes), time_text(flow.first_ns).c_str(),
                static_cast<double>(flow.last_ns - flow.first_ns) * 1e-9);
  }
  if (shown < outcome.flows.size()) {
    std::printf("... and %zu more flows (--top %zu shows all)\n", outcome.flows.size() - shown,
                outcome.flows.size());
  }
  std::printf("\n");
  for (const auto& [type, frames] : outcome.non_ip) {
    std::printf("not IP, type %s: %llu frames\n", type_text(type).c_str(),
                static_cast<unsigned long long>(frames));
  }
  if (outcome.malformed) {
    std::printf("malformed: %llu frames\n", static_cast<unsigned long long>(outcome.malformed));
  }
  for (const auto& [cause, frames] : outcome.statistics.dropped) {
    if (frames) {
      std::printf("dropped, %s: %llu frames\n", cause.c_str(),
                  static_cast<unsigned long long>(frames));
    }
  }
  const auto& statistics = outcome.statistics;
  std::printf("%llu frames (%llu bytes) came from %s; %llu were received by %u persistent "
              "kernel%s on %s, in %zu flows, within %.3f s\n",
              static_cast<unsigned long long>(statistics.frames),
              static_cast<unsigned long long>(statistics.bytes), outcome.nic.c_str(),
              static_cast<unsigned long long>(statistics.delivered), options.queues,
              options.queues == 1 ? "" : "s", outcome.gpu.c_str(), outcome.flows.size(),
              outcome.elapsed_s);
}

void print_json(const Outcome& outcome) {
  nlohmann::ordered_json json;
  json["nic"] = outcome.nic;
  json["gpu"] = outcome.gpu;
  json["frames"] = outcome.statistics.frames;
  json["bytes"] = outcome.statistics.bytes;
  json["delivered"] = outcome.statistics.delivered;
  json["dropped"] = nlohmann::ordered_json::object();
  for (const auto& [cause, frames] : outcome.statistics.dropped) json["dropped"][cause] = frames;
  json["malformed"] = outcome.malformed;
  json["flows"] = nlohmann::ordered_json::array();
  for (const Flow& flow : outcome.flows) {
    json["flows"].push_back({{"src", address_text(flow.key, true)},
                             {"dst", address_text(flow.key, false)},
                             {"proto", flow.key.protocol()},
                             {"sport", flow.key.source_port()},
                             {"dport", flow.key.destination_port()},
                             {"frames", flow.frames},
                             {"bytes", flow.bytes}});
  }
  json["non_ip"] = nlohmann::ordered_json::object();
  for (const auto& [type, frames] : outcome.non_ip) json["non_ip"][type_text(type)] = frames;
  json["elapsed_s"] = outcome.elapsed_s;
  if (outcome.untracked_frames) {
    json["untracked"] = {{"frames", outcome.untracked_frames}, {"bytes", outcome.untracked_bytes}};
  }
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace flows
