// SPDX-License-Identifier: Apache-2.0
// A link moves frames between wire rings and the world. One file each: pcap, gen.
#pragma once

#include <memory>
#include <string>

#include "core/status.h"
#include "warpnic/format/wire_ring.h"

namespace warpnic {

/// One port's frames. All functions are called by one thread (the NIC's), apart from where noted.
class Link {
 public:
  virtual ~Link() = default;

  /// The rings the engine reads; constant, valid as long as the link. Any thread.
  virtual const WirePort& port() const = 0;

  /// True: the engine leaves a frame in the ring while its queue is full, so nothing is lost.
  virtual bool lossless() const = 0;

  /// Moves frames that are due into the RX ring. True if any moved. Never blocks.
  virtual bool pump() = 0;

  /// No frame will come any more, apart from those in the ring. Any thread.
  virtual bool ended() const = 0;

  /// A sentence about what is wrong with the source, or empty. Any thread.
  virtual std::string warning() const { return {}; }
};

/// Opens the link of a spec: "pcap:FILE[,speed=max|recorded][,repeat=N]", "gen:KEY=VALUE,...".
/// INVALID_VALUE names the part that is wrong and what would be right.
Result<std::unique_ptr<Link>> open_link(const std::string& spec);

}  // namespace warpnic
