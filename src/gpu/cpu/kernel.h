// What is known about device code: the image of one source file (written by simt_ir.py), a kernel
// in it, and one launch of a kernel.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <string>
#include <vector>

#include "driver_types.h"

namespace warpnic::cpu {

// These three are laid out by simt_ir.py.
struct Symbol {
  const char* name;
  void* address;
  int64_t bytes;  ///< 0 for a kernel
};
struct SharedArea {
  const char* name;
  int64_t offset;
  int64_t bytes;
};
struct Image {
  const char* identity;
  const Symbol* symbols;
  int64_t symbol_count;
  const SharedArea* areas;
  int64_t area_count;
  int64_t static_bytes;
};

inline constexpr size_t kDefaultSharedBytes = 48 * 1024;
inline constexpr size_t kMaxSharedBytes = 227 * 1024;

struct Kernel {
  std::string name;  ///< mangled
  void* body = nullptr;
  const Image* image = nullptr;
  size_t max_dynamic_bytes = kDefaultSharedBytes;
};

/// Arguments as they were given: bytes one after the other, and where each begins.
struct Arguments {
  struct Place {
    size_t offset;
    size_t bytes;
  };
  std::vector<Place> places;
  std::vector<char> bytes;
};

struct Launch {
  std::shared_ptr<const Kernel> kernel;
  dim3 grid;
  dim3 block;
  size_t dynamic_bytes = 0;
  Arguments arguments;
};

/// The kernel behind a host stub, or null.
std::shared_ptr<Kernel> find_kernel(const void* stub);
/// The device variable behind a host variable, or null.
const Symbol* find_variable(const void* host);

}  // namespace warpnic::cpu
