// SPDX-License-Identifier: Apache-2.0
// Preset cuda: kernels compile, but the library cannot feed a CUDA device yet.
#include "core/pci_address.h"
#include "gpu/gpu.h"

namespace warpnic {

std::vector<std::string> gpu_bus_ids() { return {}; }

Result<std::shared_ptr<Gpu>> open_gpu(const std::string& bus_id) {
  const Result<std::string> wanted = full_pci_address(bus_id);
  if (!wanted.ok()) return wanted.status();
  return Status(DOCA_ERROR_NOT_SUPPORTED,
                "GPU " + wanted.value() + ": this library was built for CUDA devices, which it cannot feed "
                "with frames yet; build preset cpu, whose kernels run on the CPU executor");
}

}  // namespace warpnic
