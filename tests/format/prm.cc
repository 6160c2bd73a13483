// SPDX-License-Identifier: Apache-2.0
// What rdma-core's header leaves unnamed, against constants taken as facts from two public sources:
//   DPDK    drivers/common/mlx5/mlx5_prm.h, struct mlx5_cqe and the constants named below
//   Linux   include/linux/mlx5/device.h, struct mlx5_cqe64 and the constants named below
// Offsets are those that the members of their structs have by their order and size.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "warpnic/format/mlx5_cqe.h"

namespace warpnic {
namespace {

// DPDK struct mlx5_cqe: 1 pkt_info, 1 rsvd0, 2 wqe_id, 1 + 1 + 2 + 4 lro, 4 rx_hash_res,
// 1 rx_hash_type, 3 rsvd1, 2 csum, 6 rsvd2, 2 hdr_type_etc, 2 vlan_info, 1 lro_num_seg,
// 3 user_index, 4 flow_table_metadata, 4 rsvd4, 4 byte_cnt, 8 timestamp, ...
static_assert(offsetof(Completion, pkt_info) == 0, "DPDK pkt_info");
static_assert(offsetof(Completion, lro) == 1 + 1 + 2, "DPDK lro_tcppsh_abort_dupack");
static_assert(offsetof(Completion, rx_hash_result) == 4 + 1 + 1 + 2 + 4, "DPDK rx_hash_res");
static_assert(offsetof(Completion, rx_hash_type) == 12 + 4, "DPDK rx_hash_type");
static_assert(offsetof(Completion, checksum) == 16 + 1 + 3, "DPDK csum, Linux check_sum");
static_assert(offsetof(Completion, hds_ip_ext) == 20 + 2 + 6, "DPDK hdr_type_etc");
static_assert(offsetof(Completion, flow_table_metadata) == 28 + 2 + 2 + 1 + 3,
              "DPDK flow_table_metadata, Linux ft_metadata");
static_assert(offsetof(Completion, byte_cnt) == 36 + 4 + 4, "DPDK byte_cnt");
static_assert(offsetof(Completion, timestamp) == 44 + 4, "DPDK timestamp");

/// DPDK reads hds_ip_ext and l4_hdr_type_etc as one big-endian 16-bit word, hdr_type_etc.
uint16_t hdr_type_etc(const Completion& cqe) {
  uint8_t bytes[sizeof cqe];
  std::memcpy(bytes, &cqe, sizeof bytes);
  return static_cast<uint16_t>(bytes[28] << 8 | bytes[29]);
}

Completion with_headers(uint64_t headers) {
  Completion cqe;
  std::memset(static_cast<void*>(&cqe), 0, sizeof cqe);
  cqe.l4_hdr_type_etc = static_cast<uint8_t>(headers);
  return cqe;
}

TEST(Prm, what_was_special_about_a_frame_lies_at_dpdks_bits) {
  EXPECT_EQ(hdr_type_etc(with_headers(CqeHeaders::VlanStripped::of(1))),
            1u << 0);  // MLX5_CQE_VLAN_STRIPPED
  EXPECT_EQ(hdr_type_etc(with_headers(CqeHeaders::IpOptions::of(1))),
            1u << 1);  // MLX5_CQE_RX_IP_EXT_OPTS_PACKET
  EXPECT_EQ(hdr_type_etc(with_headers(CqeHeaders::Network::of(kCqeNetworkIpv6))),
            1u << 2);  // MLX5_CQE_RX_IPV6_PACKET
  EXPECT_EQ(hdr_type_etc(with_headers(CqeHeaders::Network::of(kCqeNetworkIpv4))),
            1u << 3);  // MLX5_CQE_RX_IPV4_PACKET
  EXPECT_EQ(hdr_type_etc(with_headers(CqeHeaders::Fragment::of(1))),
            1u << 7);  // MLX5_CQE_RX_IP_FRAG_PACKET
}

TEST(Prm, the_transport_header_lies_under_dpdks_mask) {
  EXPECT_EQ(CqeHeaders::Transport::of(~uint64_t{0}), 0x70u);  // MLX5_CQE_L4_TYPE_MASK
  EXPECT_EQ(CqeHeaders::Transport::of(1), 1u << 4);           // MLX5_CQE_L4_TYPE_SHIFT
  EXPECT_EQ(CqeHeaders::Transport::of(kCqeTransportTcp), 1u << 4);  // MLX5_CQE_RX_TCP_PACKET
  EXPECT_EQ(CqeHeaders::Transport::of(kCqeTransportUdp), 1u << 5);  // MLX5_CQE_RX_UDP_PACKET
  EXPECT_EQ(kCqeTransportTcpAckOnly, 3);  // MLX5_L4_HDR_TYPE_TCP_EMPTY_ACK
  EXPECT_EQ(kCqeTransportTcpAck, 4);      // MLX5_L4_HDR_TYPE_TCP_WITH_ACL
  // Linux CQE_L4_HDR_TYPE_NONE, _TCP_NO_ACK, _UDP, _TCP_ACK_NO_DATA, _TCP_ACK_AND_DATA
  EXPECT_EQ(kCqeTransportNone, 0);
  EXPECT_EQ(kCqeTransportTcp, 1);
  EXPECT_EQ(kCqeTransportUdp, 2);
}

TEST(Prm, header_checks_lie_in_the_high_byte_of_dpdks_word) {
  Completion cqe = with_headers(0);
  cqe.hds_ip_ext = kCqeL2Ok;
  EXPECT_EQ(hdr_type_etc(cqe), 1u << 8);  // MLX5_CQE_RX_L2_HDR_VALID
  cqe.hds_ip_ext = kCqeL3Ok;
  EXPECT_EQ(hdr_type_etc(cqe), 1u << 9);  // MLX5_CQE_RX_L3_HDR_VALID
  cqe.hds_ip_ext = kCqeL4Ok;
  EXPECT_EQ(hdr_type_etc(cqe), 1u << 10);  // MLX5_CQE_RX_L4_HDR_VALID
}

TEST(Prm, the_hash_type_lies_under_linuxs_masks) {
  EXPECT_EQ(CqeHash::Addresses::of(~uint64_t{0}), 0x3u << 2);  // CQE_RSS_HTYPE_IP
  EXPECT_EQ(CqeHash::Ports::of(~uint64_t{0}), 0x3u << 6);      // CQE_RSS_HTYPE_L4
  // The comments beside them: 01 IPv4, 10 IPv6; 01 TCP, 10 UDP.
  EXPECT_EQ(CqeHash::Addresses::get(kHashedAddressesIpv4), 1u);
  EXPECT_EQ(CqeHash::Addresses::get(kHashedAddressesIpv6), 2u);
  EXPECT_EQ(CqeHash::Ports::get(kHashedPortsTcp), 1u);
  EXPECT_EQ(CqeHash::Ports::get(kHashedPortsUdp), 2u);
}

TEST(Prm, flow_tags_have_24_bits) {
  // DPDK MLX5_FLOW_MARK_MASK
  const CompletionTail tail = make_completion_tail(kCqeResponseSend, 0, 4, 0xffffffff);
  EXPECT_EQ(tail.fields.sop_drop_qpn.get(), 0xffffffu);
}

TEST(Prm, the_syndromes_lie_in_dpdks_32_bit_syndrome_word) {
  // DPDK MLX5_ERROR_CQE_SYNDROME_OFFSET
  EXPECT_GE(offsetof(ErrorCompletion, vendor_err_synd), 52u);
  EXPECT_EQ(offsetof(ErrorCompletion, syndrome), 52u + 3);
}

}  // namespace
}  // namespace warpnic
