// SPDX-License-Identifier: Apache-2.0
#include "core/pci_address.h"

#include <cctype>

namespace warpnic {

Result<std::string> full_pci_address(const std::string& text) {
  std::string full = text;
  for (char& c : full) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (full.size() == 7) full = "0000:" + full;
  const std::string form = "hhhh:hh:1h.o";  // a bus has 32 devices of 8 functions
  bool fits = full.size() == form.size();
  for (size_t i = 0; fits && i < form.size(); ++i) {
    if (form[i] == 'h') {
      fits = std::isxdigit(static_cast<unsigned char>(full[i])) != 0;
    } else if (form[i] == '1') {
      fits = full[i] == '0' || full[i] == '1';
    } else if (form[i] == 'o') {
      fits = full[i] >= '0' && full[i] <= '7';
    } else {
      fits = full[i] == form[i];
    }
  }
  if (!fits) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "'" + text + "' is not a PCI address: it has the form ff:00.0 or 0000:ff:00.0");
  }
  return full;
}

}  // namespace warpnic
