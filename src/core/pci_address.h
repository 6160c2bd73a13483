// SPDX-License-Identifier: Apache-2.0
// PCI addresses as text: "ff:00.0" and "0000:ff:00.0" name the same function.
#pragma once

#include <string>

#include "core/status.h"

namespace warpnic {

/// The form with domain, in lower case. INVALID_VALUE: not of the form [DDDD:]BB:DD.F.
Result<std::string> full_pci_address(const std::string& text);

}  // namespace warpnic
