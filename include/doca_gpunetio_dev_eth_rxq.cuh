// SPDX-License-Identifier: Apache-2.0
// Receiving Ethernet frames in a kernel. Contracts; the steps are in warpnic/device/eth_recv.h.
#ifndef DOCA_GPUNETIO_DEV_ETH_RXQ_CUH_
#define DOCA_GPUNETIO_DEV_ETH_RXQ_CUH_

#include "doca_error.h"
#include "doca_gpunetio_eth_def.h"
#include "warpnic/device/eth_recv.h"

struct doca_gpu_eth_rxq;

/// Receives packets: returns as soon as at least one is there, with all that are there up to
/// `max_pkts`. Packets are *out_first_pkt_idx .. *out_first_pkt_idx + *out_pkt_num - 1; indices
/// are absolute, 64 bits wide, and grow by one a packet since the queue was started.
///
/// @param exec_scope  who calls together; the outputs are then the same pointers for all of them
/// @param mcst_mode   any; the virtual NIC's payload is visible with its completion in every mode
/// @param nic_handler AUTO or GPU_SM_DB: a receive rings no door that a CPU could ring for it
/// @param rx_attr     which members of out_attr[] are filled; false and true mean NONE and ALL
/// @param rxq         from doca_eth_rxq_get_gpu_handle
/// @param max_pkts    0: no limit. One call returns at most as many packets as the queue holds
///                    back (a quarter of its slots, unless set otherwise)
/// @param timeout_ns  how long to wait for the first packet; 0: look once
/// @param out_attr    NULL, or at least max_pkts entries (hold-back entries if max_pkts is 0);
///                    entry i belongs to packet *out_first_pkt_idx + i
///
/// @scope   thread: any thread, others may be elsewhere. warp, block: all threads of the warp or
///          block that have not exited; threads that have exited are not waited for
/// @memory  a packet and its attributes stay as they are until hold-back further packets were
///          returned by recv on this queue, to anyone. Kernels may write to packets
/// @order   what the NIC wrote of a packet is visible when recv returns, to every caller. warp and
///          block begin with a barrier (outputs of the call before may be read until then) and
///          end with one
/// @blocks  until a packet is there or the time is over, at most. A receiver that has packets then
///          waits until those that claimed before it have told the NIC, which they do at once
/// @with    any number of callers on one queue: each packet is returned once, to one of them
/// @not     does not wait to fill max_pkts; there is no call to give packets back
/// @return  DOCA_SUCCESS, outputs set; *out_pkt_num is 0 when the time was over
/// @return  DOCA_ERROR_BAD_STATE: the host stopped the queue; outputs are set, *out_pkt_num is 0
/// @return  DOCA_ERROR_IO_FAILED: the queue has a fault, an error completion that the host's log
///          names; it stays until the queue is started anew. *out_pkt_num is 0
/// @return  DOCA_ERROR_TIME_OUT: the NIC gave no sign of life for 10 s. *out_pkt_num is 0
/// @nics    virtual
template <enum doca_gpu_dev_eth_exec_scope exec_scope = DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK,
          enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_AUTO,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          auto rx_attr = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
__device__ inline doca_error_t doca_gpu_dev_eth_rxq_recv(
    struct doca_gpu_eth_rxq* rxq, uint32_t max_pkts, uint64_t timeout_ns,
    uint64_t* out_first_pkt_idx, uint32_t* out_pkt_num,
    struct doca_gpu_dev_eth_rxq_attr* out_attr) {
  static_assert(nic_handler != DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY,
                "a receive queue has no door that a CPU proxy rings: use AUTO");
  using Group = typename warpnic::GroupOf<static_cast<int>(exec_scope)>::type;
  constexpr unsigned attributes = warpnic::attribute_mask(rx_attr);
  auto& queue = *reinterpret_cast<warpnic::ReceiveHandle*>(rxq);
  return warpnic::receive_together<attributes>(Group(), queue, max_pkts, timeout_ns,
                                               out_first_pkt_idx, out_pkt_num, out_attr);
}

/// Address of packet `pkt_idx`, an absolute index that recv returned; the ring's wrap is inside.
///
/// @scope   any thread
/// @memory  the packet's bytes are its frame from the Ethernet header on; see recv for how long
/// @order   none of its own
/// @blocks  never
/// @return  an address in the packet buffer, 64-byte aligned
__device__ inline uint64_t doca_gpu_dev_eth_rxq_get_pkt_addr(struct doca_gpu_eth_rxq* rxq,
                                                             uint64_t pkt_idx) {
  const auto& queue = *reinterpret_cast<const warpnic::ReceiveHandle*>(rxq);
  return warpnic::receive_address(queue, pkt_idx);
}

/// Key of the packet buffer, big-endian, as a send call takes it.
///
/// @scope   any thread, also before the first recv
/// @memory  reads a constant of the queue
/// @order   none of its own
/// @blocks  never
/// @return  the key
__device__ inline uint32_t doca_gpu_dev_eth_rxq_get_pkt_mkey(struct doca_gpu_eth_rxq* rxq) {
  return reinterpret_cast<const warpnic::ReceiveHandle*>(rxq)->mkey_be;
}

/// Number of the calling lane in its warp.
///
/// @scope   any thread
/// @memory  none
/// @order   none
/// @blocks  never
/// @return  0 .. 31
__device__ inline unsigned int doca_gpu_dev_eth_get_lane_id() {
  return warpnic::WarpLanes().lane();
}

#endif  // DOCA_GPUNETIO_DEV_ETH_RXQ_CUH_
