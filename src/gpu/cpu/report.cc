// Says what every lane of a block does and where: kernel, block, state, function and line.
// Places come from addr2line where it is installed, else as module and offset.
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <map>
#include <string>

#include "block.h"

namespace warpnic::cpu {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  free(text);
  return result;
}

/// The first frame of addr2line's answer that is not in the executor's own headers.
std::string ask_addr2line(const char* module, size_t address) {
  char command[4400];
  snprintf(command, sizeof command, "addr2line -f -C -i -e '%s' 0x%zx 2>/dev/null", module,
           address);
  FILE* answer = popen(command, "r");
  if (answer == nullptr) {
    return "";
  }
  char function[1024];
  char line[4200];
  std::string found;
  while (fgets(function, sizeof function, answer) && fgets(line, sizeof line, answer)) {
    function[strcspn(function, "\n")] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (char* note = strstr(line, " (discriminator")) {
      *note = '\0';
    }
    if (function[0] == '?') {
      break;
    }
    found = std::string(function) + " at " + line;
    if (strstr(line, "/cpu_executor/") == nullptr) {
      break;
    }
  }
  pclose(answer);
  return found;
}

std::string describe_place(const void* place) {
  Dl_info info{};
  if (place == nullptr) {
    return "not started";
  }
  if (dladdr(place, &info) == 0 || info.dli_fname == nullptr) {
    char text[64];
    snprintf(text, sizeof text, "%p", place);
    return text;
  }
  const auto* header = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
  const auto value = reinterpret_cast<size_t>(place);
  const size_t base = header->e_type == ET_EXEC ? 0 : reinterpret_cast<size_t>(info.dli_fbase);
  // The place is a return address: the call is the instruction before it.
  std::string text = strchr(info.dli_fname, '\'') == nullptr
                         ? ask_addr2line(info.dli_fname, value - base - 1)
                         : "";
  if (text.empty()) {
    char fallback[4400];
    snprintf(fallback, sizeof fallback, "%s+0x%zx", info.dli_fname, value - base);
    text = fallback;
  }
  return text;
}

const char* barrier_name(int kind) {
  static const char* const kNames[] = {"__syncthreads", "__syncthreads_count",
                                       "__syncthreads_and", "__syncthreads_or"};
  return kNames[kind & 3];
}

const char* warp_operation_name(int operation) {
  static const char* const kNames[] = {"__syncwarp", "a vote (__ballot_sync, any, all)",
                                       "a shuffle (__shfl_sync)", "__match_sync",
                                       "__reduce_sync"};
  return operation >= 0 && operation < 5 ? kNames[operation] : "a warp operation";
}

std::string describe_state(const Lane& lane) {
  char text[160];
  switch (lane.state) {
    case LaneState::kReady:
      return "can run, was last seen";
    case LaneState::kRunning:
      return "running";
    case LaneState::kAtBarrier:
      snprintf(text, sizeof text, "at %s", barrier_name(lane.operation));
      return text;
    case LaneState::kAtWarpOperation:
      snprintf(text, sizeof text, "at %s, mask 0x%08x", warp_operation_name(lane.operation),
               lane.mask);
      return text;
    case LaneState::kExited:
      return "exited";
  }
  return "";
}

void add_number(std::string& ranges, unsigned& last, unsigned number) {
  if (!ranges.empty() && number == last + 1) {
    const size_t dash = ranges.find_last_of("-,");
    if (dash != std::string::npos && ranges[dash] == '-') {
      ranges.erase(dash);
    }
    ranges += "-" + std::to_string(number);
  } else {
    ranges += (ranges.empty() ? "" : ",") + std::to_string(number);
  }
  last = number;
}

struct Group {
  std::string threads;
  unsigned last = 0;
};

}  // namespace

void report_block(const Block& block, const char* reason) {
  std::map<const void*, std::string> places;
  std::map<std::string, Group> groups;
  for (unsigned i = 0; i < block.threads; i++) {
    const Lane& lane = block.lanes[i];
    std::string text = describe_state(lane);
    if (lane.state != LaneState::kExited) {
      auto found = places.find(lane.place);
      if (found == places.end()) {
        found = places.emplace(lane.place, describe_place(lane.place)).first;
      }
      text += ": " + found->second;
    }
    Group& group = groups[text];
    add_number(group.threads, group.last, i);
  }
  const std::string kernel = demangled(block.launch->kernel->name.c_str());
  std::string out = "warpnic cpu executor: " + std::string(reason) + "\n  kernel " + kernel +
                    ", block (" + std::to_string(block.index.x) + "," +
                    std::to_string(block.index.y) + "," + std::to_string(block.index.z) + ")\n";
  for (const auto& [text, group] : groups) {
    out += "  threads " + group.threads + " " + text + "\n";
  }
  fputs(out.c_str(), stderr);
  fflush(stderr);
}

void report_and_abort(const Block& block, const char* reason) {
  report_block(block, reason);
  abort();
}

}  // namespace warpnic::cpu
