// SPDX-License-Identifier: Apache-2.0
// Every size and offset once more, by whatever compiles kernels: a compiler that disagreed with the
// host's about a layout would fail the assertions inside the headers. Golden bytes of the builders
// that are constant expressions; format.mlx5dv compares them with what rdma-core writes.
#include "warpnic/format/handle.h"
#include "warpnic/format/mlx5_cqe.h"
#include "warpnic/format/mlx5_doorbell.h"
#include "warpnic/format/mlx5_wqe.h"
#include "warpnic/format/wire_ring.h"

namespace warpnic {

constexpr ReceiveDescriptor kDescriptor =
    make_receive_descriptor(0x0123456789abcdef, 0x00000800, 0x00018f02);
static_assert(kDescriptor.byte_count.raw == 0x00080000, "00 00 08 00");
static_assert(kDescriptor.lkey.raw == 0x028f0100, "00 01 8f 02");
static_assert(kDescriptor.addr.raw == 0xefcdab8967452301, "01 23 45 67 89 ab cd ef");
static_assert(kDescriptor.addr.get() == 0x0123456789abcdef, "and back");

constexpr CompletionTail kTail = make_completion_tail(kCqeResponseSend, 0x12345, 16, 0xabcdef);
static_assert(kTail.fields.sop_drop_qpn.raw == 0xefcdab00, "00 ab cd ef");
static_assert(kTail.fields.wqe_counter.raw == 0x4523, "23 45");
static_assert(kTail.fields.op_own == 0x21, "received, second lap");
static_assert(doorbell_count(0x12345) == 0x2345, "16 bits");

// A kernel whose parameters are the formats, so that the device pass lays them out too.
__global__ void touch(ReceiveHandle* handle, Completion* completion, ErrorCompletion* error,
                      ReceiveDescriptor* descriptor, DoorbellRecord* doorbell,
                      WireDescriptor* wire) {
  *descriptor = kDescriptor;
  completion->tail = kTail;
  error->syndrome = kSyndromeLocalLength;
  doorbell->receive = Big<uint32_t>::of(doorbell_count(handle->consumer));
  wire->options = kWireHasNote;
}

}  // namespace warpnic

/// Runs the kernel and compares bytes that two compilers laid out. 0: they agree; 77: no GPU here.
int compare_layouts() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  struct Formats {
    warpnic::ReceiveHandle handle;
    warpnic::Completion completion;
    warpnic::ErrorCompletion error;
    warpnic::ReceiveDescriptor descriptor;
    warpnic::DoorbellRecord doorbell;
    warpnic::WireDescriptor wire;
  };
  Formats* f = nullptr;
  if (cudaMallocManaged(&f, sizeof *f) != cudaSuccess) return 1;
  *f = Formats();
  f->handle.consumer = 0x1abcd;
  warpnic::touch<<<1, 1>>>(&f->handle, &f->completion, &f->error, &f->descriptor, &f->doorbell,
                           &f->wire);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  const auto* bytes = reinterpret_cast<const unsigned char*>(f);
  const size_t completion = offsetof(Formats, completion);
  if (bytes[completion + 63] != 0x21 || bytes[completion + 61] != 0x45) return 3;
  if (bytes[offsetof(Formats, error) + 55] != 0x01) return 4;
  if (bytes[offsetof(Formats, descriptor) + 15] != 0xef) return 5;
  if (bytes[offsetof(Formats, doorbell) + 2] != 0xab) return 6;
  if (bytes[offsetof(Formats, doorbell) + 3] != 0xcd) return 7;
  if (bytes[offsetof(Formats, wire) + 15] != 0x80) return 8;
  return cudaFree(f) == cudaSuccess ? 0 : 9;
}
