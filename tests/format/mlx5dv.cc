// SPDX-License-Identifier: Apache-2.0
// Our formats against rdma-core's: the same offsets, the same constants, and the same bytes when
// rdma-core's own functions write them.
#include <endian.h>
#include <gtest/gtest.h>
#include <infiniband/mlx5dv.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "warpnic/format/mlx5_cqe.h"
#include "warpnic/format/mlx5_doorbell.h"
#include "warpnic/format/mlx5_wqe.h"
#include "warpnic/format/print.h"

namespace warpnic {
namespace {

// Where a field of ours lies, and how long it is, as in rdma-core's struct.
#define SAME_FIELD(ours, field, theirs, their_field)                                        \
  static_assert(offsetof(ours, field) == offsetof(theirs, their_field), #field " offset");  \
  static_assert(sizeof(ours::field) == sizeof(theirs::their_field), #field " size")

static_assert(sizeof(ReceiveDescriptor) == sizeof(mlx5_wqe_data_seg), "size");
SAME_FIELD(ReceiveDescriptor, byte_count, mlx5_wqe_data_seg, byte_count);
SAME_FIELD(ReceiveDescriptor, lkey, mlx5_wqe_data_seg, lkey);
SAME_FIELD(ReceiveDescriptor, addr, mlx5_wqe_data_seg, addr);

static_assert(sizeof(Completion) == sizeof(mlx5_cqe64), "size");
SAME_FIELD(Completion, wqe_id, mlx5_cqe64, wqe_id);
SAME_FIELD(Completion, hds_ip_ext, mlx5_cqe64, hds_ip_ext);
SAME_FIELD(Completion, l4_hdr_type_etc, mlx5_cqe64, l4_hdr_type_etc);
SAME_FIELD(Completion, vlan_info, mlx5_cqe64, vlan_info);
SAME_FIELD(Completion, reserved32, mlx5_cqe64, srqn_uidx);
SAME_FIELD(Completion, flow_table_metadata, mlx5_cqe64, imm_inval_pkey);
SAME_FIELD(Completion, byte_cnt, mlx5_cqe64, byte_cnt);
SAME_FIELD(Completion, timestamp, mlx5_cqe64, timestamp);
static_assert(offsetof(Completion, reserved40) == offsetof(mlx5_cqe64, app), "app");

#define SAME_TAIL(ours, theirs, field, their_field)                                   \
  static_assert(offsetof(ours, tail) + offsetof(CompletionTail::Fields, field) ==     \
                    offsetof(theirs, their_field), #field " offset");                 \
  static_assert(sizeof(CompletionTail::Fields::field) == sizeof(theirs::their_field), \
                #field " size")
SAME_TAIL(Completion, mlx5_cqe64, sop_drop_qpn, sop_drop_qpn);
SAME_TAIL(Completion, mlx5_cqe64, wqe_counter, wqe_counter);
SAME_TAIL(Completion, mlx5_cqe64, signature, signature);
SAME_TAIL(Completion, mlx5_cqe64, op_own, op_own);

static_assert(sizeof(ErrorCompletion) == sizeof(mlx5_err_cqe), "size");
SAME_FIELD(ErrorCompletion, srqn, mlx5_err_cqe, srqn);
SAME_FIELD(ErrorCompletion, vendor_err_synd, mlx5_err_cqe, vendor_err_synd);
SAME_FIELD(ErrorCompletion, syndrome, mlx5_err_cqe, syndrome);
SAME_TAIL(ErrorCompletion, mlx5_err_cqe, sop_drop_qpn, s_wqe_opcode_qpn);
SAME_TAIL(ErrorCompletion, mlx5_err_cqe, wqe_counter, wqe_counter);
SAME_TAIL(ErrorCompletion, mlx5_err_cqe, signature, signature);
SAME_TAIL(ErrorCompletion, mlx5_err_cqe, op_own, op_own);
static_assert(kErrorVendorSyndromeOffset == offsetof(mlx5_err_cqe, vendor_err_synd), "offset");
static_assert(kErrorSyndromeOffset == offsetof(mlx5_err_cqe, syndrome), "offset");

#define SAME_VALUE(ours, theirs) \
  static_assert(static_cast<unsigned>(ours) == static_cast<unsigned>(theirs), #theirs)
SAME_VALUE(kCqeResponseSend, MLX5_CQE_RESP_SEND);
SAME_VALUE(kCqeRequestError, MLX5_CQE_REQ_ERR);
SAME_VALUE(kCqeResponseError, MLX5_CQE_RESP_ERR);
SAME_VALUE(kCqeInvalid, MLX5_CQE_INVALID);
SAME_VALUE(kCqeL2Ok, MLX5_CQE_L2_OK);
SAME_VALUE(kCqeL3Ok, MLX5_CQE_L3_OK);
SAME_VALUE(kCqeL4Ok, MLX5_CQE_L4_OK);
SAME_VALUE(kCqeNetworkNone, MLX5_CQE_L3_HDR_TYPE_NONE);
SAME_VALUE(kCqeNetworkIpv4, MLX5_CQE_L3_HDR_TYPE_IPV4);
SAME_VALUE(kCqeNetworkIpv6, MLX5_CQE_L3_HDR_TYPE_IPV6);
SAME_VALUE(kSyndromeLocalLength, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
SAME_VALUE(kSyndromeLocalOperation, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
SAME_VALUE(kSyndromeLocalProtection, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
SAME_VALUE(kSyndromeFlushed, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
SAME_VALUE(kSyndromeLocalAccess, MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR);

SAME_VALUE(offsetof(DoorbellRecord, receive), MLX5_RCV_DBR * sizeof(__be32));
SAME_VALUE(offsetof(DoorbellRecord, send), MLX5_SND_DBR * sizeof(__be32));

std::vector<uint8_t> bytes_of(const void* object, size_t size) {
  const auto* first = static_cast<const uint8_t*>(object);
  return {first, first + size};
}

TEST(Mlx5dv, receive_descriptors_have_the_bytes_that_rdma_core_writes) {
  struct Case {
    uint64_t address;
    uint32_t bytes, key;
  };
  std::vector<Case> cases = {{0, 0, 0},
                             {0x0000123456789a40, 2048, 0x00018f02},
                             {UINT64_MAX, UINT32_MAX, UINT32_MAX}};
  std::mt19937_64 random(20240229);
  for (int i = 0; i < 1000; ++i) {
    cases.push_back({random(), static_cast<uint32_t>(random()), static_cast<uint32_t>(random())});
  }
  for (const Case& c : cases) {
    mlx5_wqe_data_seg theirs;
    std::memset(&theirs, 0xa5, sizeof theirs);
    mlx5dv_set_data_seg(&theirs, c.bytes, c.key, c.address);
    const ReceiveDescriptor ours = make_receive_descriptor(c.address, c.bytes, c.key);
    ASSERT_EQ(bytes_of(&ours, sizeof ours), bytes_of(&theirs, sizeof theirs)) << to_text(ours);
  }
}

/// A completion in rdma-core's struct and words.
mlx5_cqe64 their_completion(uint64_t index, uint32_t slots_log2) {
  mlx5_cqe64 cqe;
  std::memset(&cqe, 0, sizeof cqe);
  cqe.wqe_id = htobe16(0x0102);
  cqe.hds_ip_ext = MLX5_CQE_L2_OK | MLX5_CQE_L3_OK | MLX5_CQE_L4_OK;
  cqe.l4_hdr_type_etc = MLX5_CQE_L3_HDR_TYPE_IPV4 << 2;
  cqe.vlan_info = htobe16(0x6123);
  cqe.imm_inval_pkey = htobe32(0x0badcafe);
  cqe.byte_cnt = htobe32(1514);
  cqe.timestamp = htobe64(0x17979cfe362a0000);
  cqe.sop_drop_qpn = htobe32(0x00abcdef);
  cqe.wqe_counter = htobe16(static_cast<uint16_t>(index));
  cqe.op_own = MLX5_CQE_RESP_SEND << 4;
  mlx5dv_set_cqe_owner(&cqe, static_cast<uint8_t>((index >> slots_log2) & MLX5_CQE_OWNER_MASK));
  return cqe;
}

Completion our_completion(uint64_t index, uint32_t slots_log2) {
  Completion cqe;
  std::memset(static_cast<void*>(&cqe), 0, sizeof cqe);
  cqe.wqe_id = Big<uint16_t>::of(0x0102);
  cqe.hds_ip_ext = kCqeL2Ok | kCqeL3Ok | kCqeL4Ok;
  cqe.l4_hdr_type_etc = static_cast<uint8_t>(CqeHeaders::Network::of(kCqeNetworkIpv4));
  cqe.vlan_info = Big<uint16_t>::of(0x6123);
  cqe.flow_table_metadata = Big<uint32_t>::of(0x0badcafe);
  cqe.byte_cnt = Big<uint32_t>::of(1514);
  cqe.timestamp = Big<uint64_t>::of(0x17979cfe362a0000);
  cqe.tail = make_completion_tail(kCqeResponseSend, index, slots_log2, 0xabcdef);
  return cqe;
}

TEST(Mlx5dv, completions_have_the_bytes_of_rdma_cores_struct) {
  for (uint64_t index : {0ull, 1ull, 1023ull, 1024ull, 65535ull, 65536ull, 0x123456789abcull}) {
    const mlx5_cqe64 theirs = their_completion(index, 10);
    const Completion ours = our_completion(index, 10);
    EXPECT_EQ(bytes_of(&ours, sizeof ours), bytes_of(&theirs, sizeof theirs)) << to_text(ours);
  }
}

TEST(Mlx5dv, rdma_cores_readers_find_opcode_owner_and_format_in_our_tail) {
  for (CqeOpcode opcode : {kCqeResponseSend, kCqeRequestError, kCqeResponseError, kCqeInvalid}) {
    for (uint64_t index : {0ull, 7ull, 8ull, 15ull, 16ull}) {
      Completion ours = our_completion(index, 3);
      ours.tail = make_completion_tail(opcode, index, 3, 0);
      mlx5_cqe64 theirs;
      std::memcpy(&theirs, &ours, sizeof theirs);
      EXPECT_EQ(mlx5dv_get_cqe_opcode(&theirs), opcode);
      EXPECT_EQ(mlx5dv_get_cqe_owner(&theirs), (index / 8) % 2);
      EXPECT_EQ(mlx5dv_get_cqe_format(&theirs), 0) << "not compressed, no inline data";
      EXPECT_EQ(mlx5dv_get_cqe_se(&theirs), 0);
    }
  }
}

TEST(Mlx5dv, a_completion_counts_as_written_in_its_own_lap_only) {
  for (uint64_t index = 0; index < 64; ++index) {
    CompletionTail tail;
    const mlx5_cqe64 theirs = their_completion(index, 3);
    std::memcpy(&tail, &theirs.sop_drop_qpn, sizeof tail);
    EXPECT_TRUE(cqe_is_written(tail, index, 3));
    EXPECT_FALSE(cqe_is_written(tail, index + 8, 3)) << "the next lap waits for its own";
    tail.fields.op_own |= MLX5_CQE_INVALID << 4;
    EXPECT_FALSE(cqe_is_written(tail, index, 3)) << "never written";
  }
}

TEST(Mlx5dv, error_completions_have_the_bytes_of_rdma_cores_struct) {
  mlx5_err_cqe theirs;
  std::memset(&theirs, 0, sizeof theirs);
  theirs.srqn = htobe32(0x112233);
  theirs.vendor_err_synd = 0x32;
  theirs.syndrome = MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
  theirs.s_wqe_opcode_qpn = htobe32(0x00004711);
  theirs.wqe_counter = htobe16(0xbeef);
  theirs.op_own = MLX5_CQE_RESP_ERR << 4 | 1;

  ErrorCompletion ours;
  std::memset(static_cast<void*>(&ours), 0, sizeof ours);
  ours.srqn = Big<uint32_t>::of(0x112233);
  ours.vendor_err_synd = 0x32;
  ours.syndrome = kSyndromeLocalProtection;
  ours.tail = make_completion_tail(kCqeResponseError, 0x1beef, 16, 0x4711);
  EXPECT_EQ(bytes_of(&ours, sizeof ours), bytes_of(&theirs, sizeof theirs)) << to_text(ours);
}

TEST(Mlx5dv, doorbell_counters_lie_where_rdma_core_indexes_them) {
  const DoorbellRecord ours = {Big<uint32_t>::of(doorbell_count(0x1abcd)), Big<uint32_t>::of(7)};
  __be32 theirs[2];
  std::memcpy(theirs, &ours, sizeof theirs);
  EXPECT_EQ(be32toh(theirs[MLX5_RCV_DBR]), 0xabcdu);
  EXPECT_EQ(be32toh(theirs[MLX5_SND_DBR]), 7u);
}

}  // namespace
}  // namespace warpnic
