// SPDX-License-Identifier: Apache-2.0
// publish, observe and claim on a CPU: the compiler's atomics, one operation each.
// Included by ../order.h only; contracts are there. Serves kernels on the CPU executor and host
// code alike.
#pragma once

namespace warpnic {

template <Point kPoint, Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE void publish(T* word, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a published word has 32 or 64 bits");
  if (is_weakened(kPoint)) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
  } else {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
  }
}

template <Point kPoint, Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T observe(const T* word) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "an observed word has 32 or 64 bits");
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T peek(const T* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE void note(T* word, T value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

template <Scope kScope = Scope::kDevice, class T>
WARPNIC_DEVICE T claim(T* word, T count) {
  return __atomic_fetch_add(word, count, __ATOMIC_RELAXED);
}

template <Scope kScope = Scope::kDevice, class T>
WARPNIC_DEVICE bool claim_if(T* word, T* expected, T value) {
  return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

/// Adds with the order of a full barrier on both sides: what the caller does after it cannot be
/// seen to happen before it. Used for "mark me inside, then look whether the queue is closed".
template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T add_and_fence(T* word, T count) {
  return __atomic_fetch_add(word, count, __ATOMIC_SEQ_CST);
}

/// Stores with the order of a full barrier on both sides, the other half of add_and_fence.
template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE void store_and_fence(T* word, T value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/// Loads with the order of a full barrier; pairs with the two above.
template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T load_and_fence(const T* word) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

}  // namespace warpnic
