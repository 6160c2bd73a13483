// SPDX-License-Identifier: Apache-2.0
// What a ConnectX answers for each received frame: the 64-byte completion.
//
// Offsets and names as in struct mlx5_cqe64 of infiniband/mlx5dv.h (rdma-core); the fields that
// header leaves unnamed (RSS hash, checksum, flow metadata) as in struct mlx5_cqe of DPDK's
// drivers/common/mlx5/mlx5_prm.h. tests/format compares both. Meanings cite their source.
//
// Owner bit: bit 0 of op_own changes with every lap of the ring, so that a completion of this lap
// is told from one of the lap before. Before the first lap all completions carry kCqeInvalid.
//
// Hand-over. The last eight bytes (CompletionTail) hold opcode and owner. The writer fills bytes
// 0..55 and then publishes the tail as ONE 64-bit word (Point::kCompletionOwner); the reader
// observes the same 64-bit word and reads the rest only after it.
#pragma once

#include <stddef.h>

#include "bits.h"

namespace warpnic {

/// Bits 7..4 of op_own. mlx5dv.h: MLX5_CQE_*.
enum CqeOpcode : uint8_t {
  kCqeResponseSend = 2,    ///< a frame was received
  kCqeRequestError = 13,   ///< a send descriptor failed
  kCqeResponseError = 14,  ///< a receive descriptor failed: ErrorCompletion
  kCqeInvalid = 15,        ///< nothing was ever written here
};

/// Bits of hds_ip_ext. mlx5dv.h: MLX5_CQE_L2_OK, MLX5_CQE_L3_OK, MLX5_CQE_L4_OK.
enum CqeChecks : uint8_t {
  kCqeL2Ok = 1 << 0,
  kCqeL3Ok = 1 << 1,  ///< the IP header's checksum was looked at and is right
  kCqeL4Ok = 1 << 2,  ///< the transport checksum was looked at and is right
};

/// Byte 56..63 of a completion, always written and read as one word.
union CompletionTail {
  struct Fields {
    Big<uint32_t> sop_drop_qpn;  // 56  low 24 bits: flow tag of the rule that matched
    Big<uint16_t> wqe_counter;   // 60  low 16 bits of the descriptor's index
    uint8_t signature;           // 62
    uint8_t op_own;              // 63  opcode << 4 | format bits | owner
  } fields;
  uint64_t word;
};
static_assert(sizeof(CompletionTail) == 8, "one 64-bit word");
static_assert(alignof(CompletionTail) == 8, "one 64-bit word");
static_assert(offsetof(CompletionTail::Fields, sop_drop_qpn) == 0, "byte 56 of mlx5_cqe64");
static_assert(offsetof(CompletionTail::Fields, wqe_counter) == 4, "byte 60 of mlx5_cqe64");
static_assert(offsetof(CompletionTail::Fields, signature) == 6, "byte 62 of mlx5_cqe64");
static_assert(offsetof(CompletionTail::Fields, op_own) == 7, "byte 63 of mlx5_cqe64");

/// The tail of descriptor `index` in a ring of 2^slots_log2; `flow_tag` has 24 bits.
WARPNIC_DEVICE constexpr CompletionTail make_completion_tail(CqeOpcode opcode, uint64_t index,
                                                             uint32_t slots_log2,
                                                             uint32_t flow_tag) {
  return CompletionTail{CompletionTail::Fields{
      Big<uint32_t>::of(flow_tag & 0xffffffu), Big<uint16_t>::of(static_cast<uint16_t>(index)), 0,
      static_cast<uint8_t>(opcode << 4 | ((index >> slots_log2) & 1))}};
}

/// mlx5_cqe64 of an Ethernet receive queue.
struct alignas(64) Completion {
  uint8_t pkt_info;                   // 0   bit 0: tunnelled. MLX5_CQE_RX_TUNNEL_PACKET
  uint8_t reserved1;                  // 1
  Big<uint16_t> wqe_id;               // 2
  uint8_t lro[8];                     // 4   large receive offload, not used here
  Big<uint32_t> rx_hash_result;       // 12  Toeplitz hash
  uint8_t rx_hash_type;               // 16  what went into the hash: CqeHashType bits
  uint8_t reserved17[3];              // 17
  Big<uint16_t> checksum;             // 20  CqeChecksum; 0 = not computed
  uint8_t reserved22[6];              // 22
  uint8_t hds_ip_ext;                 // 28  CqeChecks. 28..29 in DPDK: hdr_type_etc, 16 bits
  uint8_t l4_hdr_type_etc;            // 29  CqeHeaders
  Big<uint16_t> vlan_info;            // 30  the tag's control information, if it was stripped
  uint8_t reserved32[4];              // 32  srqn_uidx: number of a shared queue, not used here
  Big<uint32_t> flow_table_metadata;  // 36
  uint8_t reserved40[4];              // 40
  Big<uint32_t> byte_cnt;             // 44  length of the frame
  Big<uint64_t> timestamp;            // 48  ns of real time (cards: in mode real-time clock)
  CompletionTail tail;                // 56
};
static_assert(sizeof(Completion) == 64, "mlx5_cqe64 has 64 bytes");
static_assert(alignof(Completion) == 64, "one line of 64 bytes");
static_assert(offsetof(Completion, pkt_info) == 0, "mlx5_cqe64");
static_assert(offsetof(Completion, reserved1) == 1, "mlx5_cqe64");
static_assert(offsetof(Completion, wqe_id) == 2, "mlx5_cqe64");
static_assert(offsetof(Completion, lro) == 4, "mlx5_cqe64");
static_assert(offsetof(Completion, rx_hash_result) == 12, "mlx5_cqe64");
static_assert(offsetof(Completion, rx_hash_type) == 16, "mlx5_cqe64");
static_assert(offsetof(Completion, reserved17) == 17, "mlx5_cqe64");
static_assert(offsetof(Completion, checksum) == 20, "mlx5_cqe64");
static_assert(offsetof(Completion, reserved22) == 22, "mlx5_cqe64");
static_assert(offsetof(Completion, hds_ip_ext) == 28, "mlx5_cqe64");
static_assert(offsetof(Completion, l4_hdr_type_etc) == 29, "mlx5_cqe64");
static_assert(offsetof(Completion, vlan_info) == 30, "mlx5_cqe64");
static_assert(offsetof(Completion, reserved32) == 32, "mlx5_cqe64");
static_assert(offsetof(Completion, flow_table_metadata) == 36, "mlx5_cqe64");
static_assert(offsetof(Completion, reserved40) == 40, "mlx5_cqe64");
static_assert(offsetof(Completion, byte_cnt) == 44, "mlx5_cqe64");
static_assert(offsetof(Completion, timestamp) == 48, "mlx5_cqe64");
static_assert(offsetof(Completion, tail) == 56, "mlx5_cqe64");

/// rx_hash_type: which fields went into rx_hash_result. Linux include/linux/mlx5/device.h:
/// CQE_RSS_HTYPE_IP, CQE_RSS_HTYPE_L4 (ports 3 means the SPI of IPsec). Reserved bits stay zero.
/// Read a type by its two fields; the enumerators are values in place, to be or-ed.
struct CqeHash {
  using Ports = Bits<7, 6>;
  using Addresses = Bits<3, 2>;
};
enum CqeHashType : uint8_t {
  kHashedNothing = 0,
  kHashedAddressesIpv4 = 1 << 2,
  kHashedAddressesIpv6 = 2 << 2,
  kHashedPortsTcp = 1 << 6,
  kHashedPortsUdp = 2 << 6,
};

/// checksum: the 16-bit ones' complement sum, not inverted, of all bytes behind the Ethernet header
/// (from byte 14 on). Linux drivers/net/ethernet/mellanox/mlx5/core/en_rx.c takes it for
/// CHECKSUM_COMPLETE. The NICs of this project that do not compute it leave 0, which no sum over a
/// frame with a non-zero byte can be.
constexpr size_t kChecksumFirstByte = 14;

/// l4_hdr_type_etc: kind of transport header, kind of network header, and what was special.
/// mlx5dv.h: MLX5_CQE_L3_HDR_TYPE_*. DPDK mlx5_prm.h: MLX5_CQE_L4_TYPE_MASK,
/// MLX5_CQE_RX_IP_FRAG_PACKET, MLX5_CQE_RX_IP_EXT_OPTS_PACKET, MLX5_CQE_VLAN_STRIPPED.
struct CqeHeaders {
  using Fragment = Bits<7, 7>;
  using Transport = Bits<6, 4>;  // CqeTransport
  using Network = Bits<3, 2>;    // CqeNetwork
  using IpOptions = Bits<1, 1>;
  using VlanStripped = Bits<0, 0>;
};
enum CqeNetwork : uint8_t { kCqeNetworkNone = 0, kCqeNetworkIpv6 = 1, kCqeNetworkIpv4 = 2 };
/// Linux include/linux/mlx5/device.h: CQE_L4_HDR_TYPE_*; DPDK mlx5_prm.h: MLX5_L4_HDR_TYPE_*.
enum CqeTransport : uint8_t {
  kCqeTransportNone = 0,
  kCqeTransportTcp = 1,         ///< TCP without the flag ACK
  kCqeTransportUdp = 2,
  kCqeTransportTcpAckOnly = 3,  ///< TCP with ACK and no data
  kCqeTransportTcpAck = 4,      ///< TCP with ACK and data
};

/// Error syndromes of a completion with kCqeResponseError, byte 55. mlx5dv.h: MLX5_CQE_SYNDROME_*.
enum CqeSyndrome : uint8_t {
  kSyndromeLocalLength = 0x01,      ///< the frame does not fit where the descriptor says
  kSyndromeLocalOperation = 0x02,   ///< the queue is not set up for this
  kSyndromeLocalProtection = 0x04,  ///< the descriptor's key or address is not registered
  kSyndromeFlushed = 0x05,          ///< the queue was in error already
  kSyndromeLocalAccess = 0x11,      ///< the descriptor's memory may not be written
};


/// mlx5_err_cqe: what a completion holds when its opcode is kCqeRequestError or kCqeResponseError.
struct alignas(64) ErrorCompletion {
  uint8_t reserved0[32];    // 0
  Big<uint32_t> srqn;       // 32  number of a shared queue, not used here
  uint8_t reserved36[18];   // 36
  uint8_t vendor_err_synd;  // 54  the card's own, closer reason
  uint8_t syndrome;         // 55  CqeSyndrome
  CompletionTail tail;      // 56  sop_drop_qpn is s_wqe_opcode_qpn: opcode << 24 | queue number
};
static_assert(sizeof(ErrorCompletion) == 64, "mlx5_err_cqe has 64 bytes");
static_assert(alignof(ErrorCompletion) == 64, "one line of 64 bytes");
static_assert(offsetof(ErrorCompletion, reserved0) == 0, "mlx5_err_cqe");
static_assert(offsetof(ErrorCompletion, srqn) == 32, "mlx5_err_cqe");
static_assert(offsetof(ErrorCompletion, reserved36) == 36, "mlx5_err_cqe");
static_assert(offsetof(ErrorCompletion, vendor_err_synd) == 54, "mlx5_err_cqe");
static_assert(offsetof(ErrorCompletion, syndrome) == 55, "mlx5_err_cqe");
static_assert(offsetof(ErrorCompletion, tail) == 56, "mlx5_err_cqe");

/// For readers that have the completion as bytes.
constexpr size_t kErrorVendorSyndromeOffset = offsetof(ErrorCompletion, vendor_err_synd);
constexpr size_t kErrorSyndromeOffset = offsetof(ErrorCompletion, syndrome);

WARPNIC_DEVICE constexpr uint8_t cqe_opcode(uint8_t op_own) {
  return static_cast<uint8_t>(op_own >> 4);
}

/// The owner bit that completions of packet `index` carry in a ring of 2^slots_log2.
WARPNIC_DEVICE constexpr uint8_t cqe_owner_of(uint64_t index, uint32_t slots_log2) {
  return static_cast<uint8_t>((index >> slots_log2) & 1);
}

/// Whether a tail is the completion of packet `index`, not of a lap before it.
WARPNIC_DEVICE bool cqe_is_written(CompletionTail tail, uint64_t index, uint32_t slots_log2) {
  return cqe_opcode(tail.fields.op_own) != kCqeInvalid &&
         (tail.fields.op_own & 1) == cqe_owner_of(index, slots_log2);
}

}  // namespace warpnic
