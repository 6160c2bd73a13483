// SPDX-License-Identifier: Apache-2.0
// Every format of this folder as one line of text, "name field=value ...", for people: tools,
// failing tests, logs. Host code only; never on the data path. Values are in CPU byte order,
// numbers decimal, addresses, keys and bit patterns hexadecimal. Reserved bytes are not shown.
#pragma once

#include <cstdint>
#include <string>

#include "../port/order.h"
#include "handle.h"
#include "mlx5_cqe.h"
#include "mlx5_doorbell.h"
#include "mlx5_wqe.h"
#include "wire_ring.h"

namespace warpnic {
namespace print_detail {

inline std::string hex(uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[value & 0xf]);
    value >>= 4;
  } while (value != 0);
  return "0x" + digits;
}
inline std::string hex(const void* address) { return hex(reinterpret_cast<uintptr_t>(address)); }

/// One line that grows field by field.
class Line {
 public:
  explicit Line(const char* name) : text_(name) {}

  Line& text(const char* name, const std::string& value) {
    text_ += std::string(" ") + name + "=" + value;
    return *this;
  }
  Line& number(const char* name, uint64_t value) { return text(name, std::to_string(value)); }
  Line& bits(const char* name, uint64_t value) { return text(name, hex(value)); }
  Line& address(const char* name, const void* value) { return text(name, hex(value)); }

  std::string str() const { return text_; }

 private:
  std::string text_;
};

/// "a+b" of those names whose condition holds; "none" if there is none.
class Set {
 public:
  Set& add(bool present, const char* name) {
    if (present) text_ += (text_.empty() ? "" : "+") + std::string(name);
    return *this;
  }
  std::string str() const { return text_.empty() ? "none" : text_; }

 private:
  std::string text_;
};

inline std::string opcode(uint8_t op_own) {
  switch (cqe_opcode(op_own)) {
    case kCqeResponseSend: return "response_send";
    case kCqeRequestError: return "request_error";
    case kCqeResponseError: return "response_error";
    case kCqeInvalid: return "invalid";
  }
  return std::to_string(cqe_opcode(op_own));  // one that this project does not use
}

inline std::string syndrome(uint8_t value) {
  switch (value) {
    case kSyndromeLocalLength: return "local_length";
    case kSyndromeLocalOperation: return "local_operation";
    case kSyndromeLocalProtection: return "local_protection";
    case kSyndromeFlushed: return "flushed";
    case kSyndromeLocalAccess: return "local_access";
  }
  return hex(value);
}

inline std::string network(uint8_t headers) {
  const uint64_t value = CqeHeaders::Network::get(headers);
  switch (value) {
    case kCqeNetworkNone: return "none";
    case kCqeNetworkIpv6: return "ipv6";
    case kCqeNetworkIpv4: return "ipv4";
  }
  return std::to_string(value);
}

inline std::string transport(uint8_t headers) {
  const uint64_t value = CqeHeaders::Transport::get(headers);
  switch (value) {
    case kCqeTransportNone: return "none";
    case kCqeTransportTcp: return "tcp";
    case kCqeTransportUdp: return "udp";
    case kCqeTransportTcpAckOnly: return "tcp_ack_only";
    case kCqeTransportTcpAck: return "tcp_ack";
  }
  return std::to_string(value);
}

inline std::string hashed(uint8_t type) {
  const uint64_t addresses = CqeHash::Addresses::get(type);
  const uint64_t ports = CqeHash::Ports::get(type);
  const uint8_t known = static_cast<uint8_t>(CqeHash::Addresses::of(addresses) |
                                             CqeHash::Ports::of(ports));
  if (type != known || addresses == 3 || ports == 3) return hex(type);
  return Set()
      .add(addresses == 1, "ipv4")
      .add(addresses == 2, "ipv6")
      .add(ports == 1, "tcp_ports")
      .add(ports == 2, "udp_ports")
      .str();
}

inline void add_tail(Line& line, const CompletionTail& tail) {
  line.number("wqe_counter", tail.fields.wqe_counter.get())
      .bits("signature", tail.fields.signature)
      .number("owner", tail.fields.op_own & 1);
}

}  // namespace print_detail

/// "receive_descriptor addr=0x1000 byte_count=2048 lkey=0x100"
inline std::string to_text(const ReceiveDescriptor& d) {
  return print_detail::Line("receive_descriptor")
      .bits("addr", d.addr.get())
      .number("byte_count", d.byte_count.get())
      .bits("lkey", d.lkey.get())
      .str();
}

/// A completion with an error opcode: "error_completion opcode=response_error syndrome=..."
inline std::string to_text(const ErrorCompletion& c) {
  const uint32_t opcode_and_queue = c.tail.fields.sop_drop_qpn.get();
  print_detail::Line line("error_completion");
  line.text("opcode", print_detail::opcode(c.tail.fields.op_own))
      .text("syndrome", print_detail::syndrome(c.syndrome))
      .bits("vendor_err_synd", c.vendor_err_synd)
      .number("srqn", c.srqn.get())
      .bits("wqe_opcode", opcode_and_queue >> 24)
      .number("qpn", opcode_and_queue & 0xffffff);
  print_detail::add_tail(line, c.tail);
  return line.str();
}

/// "completion opcode=response_send byte_cnt=64 timestamp=... owner=0"; the fields of an error
/// completion if the opcode says that it is one.
inline std::string to_text(const Completion& c) {
  const uint8_t opcode = cqe_opcode(c.tail.fields.op_own);
  if (opcode == kCqeRequestError || opcode == kCqeResponseError) {
    ErrorCompletion error;
    static_assert(sizeof(error) == sizeof(c), "two views of the same 64 bytes");
    __builtin_memcpy(&error, &c, sizeof(error));
    return to_text(error);
  }
  print_detail::Line line("completion");
  line.text("opcode", print_detail::opcode(c.tail.fields.op_own))
      .number("byte_cnt", c.byte_cnt.get())
      .number("timestamp", c.timestamp.get())
      .bits("rx_hash_result", c.rx_hash_result.get())
      .text("hashed", print_detail::hashed(c.rx_hash_type))
      .bits("checksum", c.checksum.get())
      .text("checks", print_detail::Set()
                          .add(c.hds_ip_ext & kCqeL2Ok, "l2_ok")
                          .add(c.hds_ip_ext & kCqeL3Ok, "l3_ok")
                          .add(c.hds_ip_ext & kCqeL4Ok, "l4_ok")
                          .str())
      .text("network", print_detail::network(c.l4_hdr_type_etc))
      .text("transport", print_detail::transport(c.l4_hdr_type_etc))
      .text("headers", print_detail::Set()
                           .add(CqeHeaders::Fragment::get(c.l4_hdr_type_etc), "fragment")
                           .add(CqeHeaders::IpOptions::get(c.l4_hdr_type_etc), "ip_options")
                           .add(CqeHeaders::VlanStripped::get(c.l4_hdr_type_etc), "vlan_stripped")
                           .add(c.pkt_info & 1, "tunnel")
                           .str())
      .bits("vlan_info", c.vlan_info.get())
      .number("wqe_id", c.wqe_id.get())
      .bits("flow_table_metadata", c.flow_table_metadata.get())
      .bits("flow_tag", c.tail.fields.sop_drop_qpn.get() & 0xffffff);
  print_detail::add_tail(line, c.tail);
  return line.str();
}

/// "doorbell receive=12 send=0"
inline std::string to_text(const DoorbellRecord& d) {
  return print_detail::Line("doorbell")
      .number("receive", d.receive.get())
      .number("send", d.send.get())
      .str();
}

/// "wire_descriptor addr=0x1010 len=60 options=note"
inline std::string to_text(const WireDescriptor& d) {
  const uint32_t rest = d.options & ~uint32_t{kWireHasNote};
  const std::string others = rest != 0 ? print_detail::hex(rest) : "";
  return print_detail::Line("wire_descriptor")
      .bits("addr", d.addr)
      .number("len", d.len)
      .text("options", print_detail::Set()
                           .add(d.options & kWireHasNote, "note")
                           .add(rest != 0, others.c_str())
                           .str())
      .str();
}

/// "frame_note timestamp_ns=1700000000000000000 wire_len=1514"
inline std::string to_text(const FrameNote& n) {
  return print_detail::Line("frame_note")
      .number("timestamp_ns", n.timestamp_ns)
      .number("wire_len", n.wire_len)
      .str();
}

/// "wire_ring producer=5 consumer=3 filled=2 size=64", or "wire_ring none". The words are
/// peeked at, so that a ring in use can be looked at.
template <class T>
std::string to_text(const WireRing<T>& ring) {
  if (ring.entries == nullptr) return "wire_ring none";
  const uint32_t producer = peek(ring.producer);
  const uint32_t consumer = peek(ring.consumer);
  return print_detail::Line("wire_ring")
      .number("producer", producer)
      .number("consumer", consumer)
      .number("filled", uint32_t{producer - consumer})
      .number("size", uint64_t{ring.mask} + 1)
      .str();
}

/// "wire_port rx={wire_ring ...} fill={wire_ring none} area=0x... area_bytes=65536"
inline std::string to_text(const WirePort& port) {
  return print_detail::Line("wire_port")
      .text("rx", "{" + to_text(port.rx) + "}")
      .text("fill", "{" + to_text(port.fill) + "}")
      .address("area", port.area)
      .number("area_bytes", port.area_bytes)
      .str();
}

/// "receive_handle size=192 version=1 packets=0x... ... fault=none". The words that lanes write
/// are peeked at, so that a queue in use can be looked at.
inline std::string to_text(const ReceiveHandle& h) {
  const uint32_t fault = peek(&h.fault);
  const bool has_fault = (fault & kFaultSet) != 0;
  return print_detail::Line("receive_handle")
      .number("size", h.size)
      .number("version", h.version)
      .bits("packets", h.packets)
      .address("completions", h.completions)
      .address("doorbell", h.doorbell)
      .address("heartbeat", h.heartbeat)
      .number("stride_bytes", h.stride_bytes)
      .number("slots", uint64_t{1} << (h.slots_log2 & 63))
      .number("hold_back", h.hold_back)
      .bits("mkey", Big<uint32_t>{h.mkey_be}.get())
      .number("consumer", peek(&h.consumer))
      .number("released", peek(&h.released))
      .number("inside", peek(&h.inside))
      .number("closed", peek(&h.closed))
      .text("fault", has_fault ? print_detail::syndrome(fault & 0xff) : "none")
      .bits("vendor_err_synd", has_fault ? (fault >> 8) & 0xff : 0)
      .str();
}

}  // namespace warpnic
