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

template <Point kPoint, Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE void publish_add(T* word, T count) {
  if (is_weakened(kPoint)) {
    __atomic_fetch_add(word, count, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_add(word, count, __ATOMIC_RELEASE);
  }
}

/// `word_at(i)` is the address of word i, `holds(i, value)` whether it is as wanted.
template <Point kPoint, Scope kScope = Scope::kSystem, class WordAt, class Holds>
WARPNIC_DEVICE auto observe_run(uint32_t limit, WordAt word_at, Holds holds)
    -> ObservedRun<decltype(observe<kPoint, kScope>(word_at(0)))> {
  for (uint32_t i = 0; i < limit; ++i) {
    const auto value = observe<kPoint, kScope>(word_at(i));
    if (!holds(i, value)) return {i, value};
  }
  return {limit, 0};
}

template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T mark_and_look(T* mark, T count, const T* word) {
  __atomic_fetch_add(mark, count, __ATOMIC_SEQ_CST);
  return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/// Stores with the order of a full barrier on both sides, the other half of mark_and_look.
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
