#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

namespace warpnic::cpu {
namespace {

int64_t number(const char* name, int64_t fallback, int64_t lowest, int64_t highest) {
  const char* text = getenv(name);
  if (text == nullptr || *text == '\0') {
    return fallback;
  }
  char* end = nullptr;
  errno = 0;
  const long long value = strtoll(text, &end, 0);
  if (errno != 0 || *end != '\0' || value < lowest || value > highest) {
    fprintf(stderr, "warpnic cpu executor: %s=%s is not a number from %lld to %lld; using %lld\n",
            name, text, static_cast<long long>(lowest), static_cast<long long>(highest),
            static_cast<long long>(fallback));
    return fallback;
  }
  return value;
}

Options read() {
  Options o{};
  o.seed = static_cast<uint32_t>(number("WARPNIC_CPU_SEED", 0, 0, UINT32_MAX));
  o.quantum = static_cast<int>(number("WARPNIC_CPU_QUANTUM", 64, 1, 1 << 24));
  // Instrumented code needs larger frames, and printf alone takes several kilobytes.
  o.stack_bytes = static_cast<size_t>(number("WARPNIC_CPU_STACK_KB", 128, 16, 65536)) * 1024;
  o.max_blocks = static_cast<unsigned>(number("WARPNIC_CPU_MAX_BLOCKS", 512, 1, 65536));
  o.sleep_every_us = number("WARPNIC_CPU_SLEEP_EVERY_US", 1000, 0, INT64_MAX / 1000000);
  o.watchdog_s = number("WARPNIC_CPU_WATCHDOG_S", 0, 0, 1000000000);
  // A guarded stack takes two memory mappings; vm.max_map_count is 65530 by default.
  o.guarded_stacks = number("WARPNIC_CPU_GUARDED_STACKS", 24000, 0, INT64_MAX);
  return o;
}

}  // namespace

const Options& options() {
  static const Options value = read();
  return value;
}

}  // namespace warpnic::cpu
