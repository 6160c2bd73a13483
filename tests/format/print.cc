// SPDX-License-Identifier: Apache-2.0
// Printers: one line, every field that has a meaning, names for the values that have names.
#include "warpnic/format/print.h"

#include <gtest/gtest.h>

#include <cstring>

namespace warpnic {
namespace {

template <class T>
T zeroed() {
  T object;
  std::memset(static_cast<void*>(&object), 0, sizeof object);
  return object;
}

TEST(Print, receive_descriptor) {
  EXPECT_EQ(to_text(make_receive_descriptor(0x7f0000001040, 2048, 0x1ff02)),
            "receive_descriptor addr=0x7f0000001040 byte_count=2048 lkey=0x1ff02");
}

TEST(Print, completion) {
  Completion c = zeroed<Completion>();
  c.pkt_info = 1;
  c.wqe_id = Big<uint16_t>::of(3);
  c.rx_hash_result = Big<uint32_t>::of(0x51ccc178);
  c.rx_hash_type = kHashedAddressesIpv4 | kHashedPortsTcp;
  c.checksum = Big<uint16_t>::of(0xbeef);
  c.hds_ip_ext = kCqeL2Ok | kCqeL4Ok;
  c.l4_hdr_type_etc = static_cast<uint8_t>(CqeHeaders::Transport::of(kCqeTransportTcpAck) |
                                           CqeHeaders::Network::of(kCqeNetworkIpv4) |
                                           CqeHeaders::IpOptions::of(1));
  c.vlan_info = Big<uint16_t>::of(0x6064);
  c.flow_table_metadata = Big<uint32_t>::of(0xaa);
  c.byte_cnt = Big<uint32_t>::of(1514);
  c.timestamp = Big<uint64_t>::of(1700000000123456789);
  c.tail = make_completion_tail(kCqeResponseSend, 1029, 10, 0xc0ffee);
  EXPECT_EQ(to_text(c),
            "completion opcode=response_send byte_cnt=1514 timestamp=1700000000123456789 "
            "rx_hash_result=0x51ccc178 hashed=ipv4+tcp_ports checksum=0xbeef checks=l2_ok+l4_ok "
            "network=ipv4 transport=tcp_ack headers=ip_options+tunnel vlan_info=0x6064 wqe_id=3 "
            "flow_table_metadata=0xaa flow_tag=0xc0ffee wqe_counter=1029 signature=0x0 owner=1");
}

TEST(Print, completion_never_written) {
  Completion c = zeroed<Completion>();
  c.tail.fields.op_own = kCqeInvalid << 4;
  const std::string text = to_text(c);
  EXPECT_EQ(text.rfind("completion opcode=invalid byte_cnt=0 ", 0), 0u) << text;
  EXPECT_NE(text.find(" hashed=none "), std::string::npos) << text;
  EXPECT_NE(text.find(" network=none transport=none headers=none "), std::string::npos) << text;
}

TEST(Print, values_without_a_name_are_shown_as_numbers) {
  Completion c = zeroed<Completion>();
  c.rx_hash_type = 0x02;
  c.l4_hdr_type_etc = static_cast<uint8_t>(CqeHeaders::Transport::of(7) |
                                           CqeHeaders::Network::of(3));
  c.tail.fields.op_own = 5 << 4;
  const std::string text = to_text(c);
  EXPECT_NE(text.find(" opcode=5 "), std::string::npos) << text;
  EXPECT_NE(text.find(" hashed=0x2 "), std::string::npos) << text;
  EXPECT_NE(text.find(" network=3 transport=7 "), std::string::npos) << text;
}

TEST(Print, error_completion_under_either_type) {
  ErrorCompletion e = zeroed<ErrorCompletion>();
  e.srqn = Big<uint32_t>::of(9);
  e.vendor_err_synd = 0x32;
  e.syndrome = kSyndromeLocalProtection;
  e.tail = make_completion_tail(kCqeResponseError, 17, 4, 0x4711);
  const std::string expected =
      "error_completion opcode=response_error syndrome=local_protection vendor_err_synd=0x32 "
      "srqn=9 wqe_opcode=0x0 qpn=18193 wqe_counter=17 signature=0x0 owner=1";
  EXPECT_EQ(to_text(e), expected);
  Completion c;
  std::memcpy(static_cast<void*>(&c), &e, sizeof c);
  EXPECT_EQ(to_text(c), expected);
  e.syndrome = 0x22;
  EXPECT_NE(to_text(e).find(" syndrome=0x22 "), std::string::npos);
}

TEST(Print, doorbell) {
  EXPECT_EQ(to_text(DoorbellRecord{Big<uint32_t>::of(0xabcd), Big<uint32_t>::of(2)}),
            "doorbell receive=43981 send=2");
}

TEST(Print, wire_descriptor_and_note) {
  EXPECT_EQ(to_text(WireDescriptor{0x1040, 60, 0}),
            "wire_descriptor addr=0x1040 len=60 options=none");
  EXPECT_EQ(to_text(WireDescriptor{0x1040, 60, kWireHasNote | 1}),
            "wire_descriptor addr=0x1040 len=60 options=note+0x1");
  EXPECT_EQ(to_text(FrameNote{1700000000000000000, 9000, 0}),
            "frame_note timestamp_ns=1700000000000000000 wire_len=9000");
}

TEST(Print, wire_ring_across_the_wrap_and_port) {
  uint32_t producer = 2;
  uint32_t consumer = 0xfffffffe;
  WireDescriptor entries[8] = {};
  uint8_t area[64] = {};
  const WirePort port = {{&producer, &consumer, entries, 7}, {nullptr, nullptr, nullptr, 0}, area,
                         sizeof area};
  EXPECT_EQ(to_text(port.rx), "wire_ring producer=2 consumer=4294967294 filled=4 size=8");
  EXPECT_EQ(to_text(port.fill), "wire_ring none");
  EXPECT_EQ(to_text(port), "wire_port rx={wire_ring producer=2 consumer=4294967294 filled=4 size=8}"
                           " fill={wire_ring none} area=" + print_detail::hex(area) +
                           " area_bytes=64");
}

TEST(Print, receive_handle) {
  ReceiveHandle h = {};
  h.size = sizeof h;
  h.version = kReceiveHandleVersion;
  h.packets = 0x10000;
  h.stride_bytes = 2048;
  h.slots_log2 = 10;
  h.hold_back = 256;
  h.mkey_be = Big<uint32_t>::of(0x1234).raw;
  h.consumer = 77;
  h.released = 70;
  h.inside = 2;
  EXPECT_EQ(to_text(h),
            "receive_handle size=192 version=1 packets=0x10000 completions=0x0 doorbell=0x0 "
            "heartbeat=0x0 stride_bytes=2048 slots=1024 hold_back=256 mkey=0x1234 consumer=77 "
            "released=70 inside=2 closed=0 fault=none vendor_err_synd=0x0");
  h.closed = 1;
  h.fault = kFaultSet | 0x32 << 8 | kSyndromeLocalLength;
  const std::string text = to_text(h);
  EXPECT_NE(text.find(" closed=1 fault=local_length vendor_err_synd=0x32"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace warpnic
