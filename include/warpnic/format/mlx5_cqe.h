// SPDX-License-Identifier: Apache-2.0
// What a ConnectX answers for each received frame: the 64-byte completion.
//
// Offsets and names as in struct mlx5_cqe64 of infiniband/mlx5dv.h (rdma-core); the fields that
// header leaves unnamed or unions (RSS hash, header types) as in struct mlx5_cqe of DPDK's
// drivers/common/mlx5/mlx5_prm.h. tests/format compares both.
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

/// mlx5_cqe64 of an Ethernet receive queue.
struct alignas(64) Completion {
  uint8_t pkt_info;                   // 0
  uint8_t reserved1;                  // 1
  Big<uint16_t> wqe_id;               // 2
  uint8_t lro[8];                     // 4   large receive offload, not used here
  Big<uint32_t> rx_hash_result;       // 12  Toeplitz hash
  uint8_t rx_hash_type;               // 16  what went into the hash: CqeHashType
  uint8_t reserved17[3];              // 17
  Big<uint16_t> checksum;             // 20  sum over the frame; 0 = not computed
  uint8_t reserved22[6];              // 22
  uint8_t hds_ip_ext;                 // 28  CqeChecks
  uint8_t l4_hdr_type_etc;            // 29  CqeHeaders
  Big<uint16_t> vlan_info;            // 30
  uint8_t reserved32[4];              // 32
  Big<uint32_t> flow_table_metadata;  // 36
  uint8_t reserved40[4];              // 40
  Big<uint32_t> byte_cnt;             // 44  length of the frame
  Big<uint64_t> timestamp;            // 48  ns of real time (cards: the mode real-time clock)
  CompletionTail tail;                // 56
};
static_assert(sizeof(Completion) == 64, "mlx5_cqe64 has 64 bytes");
static_assert(offsetof(Completion, pkt_info) == 0, "mlx5_cqe64");
static_assert(offsetof(Completion, wqe_id) == 2, "mlx5_cqe64");
static_assert(offsetof(Completion, lro) == 4, "mlx5_cqe64");
static_assert(offsetof(Completion, rx_hash_result) == 12, "mlx5_cqe64");
static_assert(offsetof(Completion, rx_hash_type) == 16, "mlx5_cqe64");
static_assert(offsetof(Completion, checksum) == 20, "mlx5_cqe64");
static_assert(offsetof(Completion, hds_ip_ext) == 28, "mlx5_cqe64");
static_assert(offsetof(Completion, l4_hdr_type_etc) == 29, "mlx5_cqe64");
static_assert(offsetof(Completion, vlan_info) == 30, "mlx5_cqe64");
static_assert(offsetof(Completion, flow_table_metadata) == 36, "mlx5_cqe64");
static_assert(offsetof(Completion, byte_cnt) == 44, "mlx5_cqe64");
static_assert(offsetof(Completion, timestamp) == 48, "mlx5_cqe64");
static_assert(offsetof(Completion, tail) == 56, "mlx5_cqe64");

/// rx_hash_type. DPDK mlx5_prm.h: MLX5_RX_HASH_*; what of the frame was hashed.
enum CqeHashType : uint8_t {
  kHashedNothing = 0,
  kHashedSourceIpv4Mask = 0x03,
};

/// l4_hdr_type_etc: bits 6..4 kind of transport header, bits 3..2 kind of network header, bit 0
/// a VLAN tag was stripped. mlx5dv.h and DPDK mlx5_prm.h: MLX5_CQE_L3_HDR_TYPE_*,
/// MLX5_CQE_L4_HDR_TYPE_*.
struct CqeHeaders {
  using Transport = Bits<6, 4>;
  using Network = Bits<3, 2>;
};

/// Error syndromes of a completion with kCqeResponseError, byte 55. mlx5dv.h: MLX5_CQE_SYNDROME_*.
enum CqeSyndrome : uint8_t {
  kSyndromeLocalLength = 0x01,      ///< the frame does not fit where the descriptor says
  kSyndromeLocalProtection = 0x04,  ///< the descriptor's key or address is not registered
  kSyndromeFlushed = 0x05,          ///< the queue was in error already
};
/// mlx5_err_cqe: vendor_err_synd and syndrome lie at the low end of what is `timestamp` above.
constexpr size_t kErrorVendorSyndromeOffset = 54;
constexpr size_t kErrorSyndromeOffset = 55;

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
