// SPDX-License-Identifier: Apache-2.0
// How one party hands bytes to another: publish, observe, claim.
//
//   publish(word, value)  stores value so that whoever observes it also sees everything that the
//                         calling thread wrote (or observed) before.             store-release
//   observe(word)         loads so that everything the publisher wrote before is visible to what
//                         the calling thread reads next.                          load-acquire
//   peek(word)            loads the word's own value only; hands nothing over.    relaxed load
//   note(word, value)     stores the word's own value only.                       relaxed store
//   claim(word, n)        adds n, returns the old value; hands nothing over.      relaxed add
//   claim_if(word, &old, value)  compare and exchange; success is acquire and release.
//   publish_add(word, n)  a publish that adds.                           release add
//   observe_run(limit, word_at, holds)  observes words one after the other while they are as
//                         wanted; says how many were, and the word that ended it.
//   mark_and_look(mark, n, word)  adds n to mark, then loads word. The other party does
//                         store_and_fence(word), then load_and_fence(mark): at least one of the
//                         two sees what the other wrote.
//
// Words are 32 or 64 bits, naturally aligned. Every hand-over names its Point, which is a row of
// docs/ordering.md; building with WARPNIC_WEAKEN=kName lowers that publish to a note, and the test
// named in the row must then fail.
//
// publish is ONE operation: on a CPU a store-release (ThreadSanitizer does not understand fences),
// on a GPU a release fence and a store of the scope given.
#pragma once

#include <stdint.h>

#include "target.h"

namespace warpnic {

/// Who may be on the other side of a word. On a CPU all scopes are the same.
enum class Scope {
  kBlock,   ///< lanes of one block
  kDevice,  ///< anything that runs on the same GPU
  kSystem,  ///< also CPU threads and network cards
};

/// The hand-overs of this project; docs/ordering.md has one row for each.
enum class Point {
  kCompletionOwner,   ///< engine -> receiver: payload and completion are written
  kReceiveDoorbell,   ///< receiver -> engine: slots below the limit may be written again
  kReceiveTurn,       ///< receiver -> next receiver of the same queue: it is your turn to ring
  kQueueInside,       ///< receiver -> host: this caller reads nothing of the queue any more
  kWireRxProducer,    ///< link -> engine: descriptors and frames are written
  kWireRxConsumer,    ///< engine -> link: descriptors have been read
  kWireFillProducer,  ///< engine -> link: frame addresses are given back
  kWireFillConsumer,  ///< link -> engine: frame addresses have been taken
  kQueueState,        ///< host -> engine: a queue was started or is to stop
  kEngineSeen,        ///< engine -> host: the engine works by the table that was asked for
  kUser,              ///< outside this library
};

/// What observe_run found.
template <class T>
struct ObservedRun {
  uint32_t count;  ///< words that were as wanted, from the first on
  T next;          ///< the word behind them, own value only; meaningless if count is the limit
};

#ifdef WARPNIC_WEAKEN
constexpr Point kWeakened = Point::WARPNIC_WEAKEN;
WARPNIC_DEVICE constexpr bool is_weakened(Point point) { return point == kWeakened; }
#else
WARPNIC_DEVICE constexpr bool is_weakened(Point) { return false; }
#endif

}  // namespace warpnic

#if WARPNIC_ON_CUDA
#include "cuda/order.h"
#else
#include "cpu/order.h"
#endif
