// SPDX-License-Identifier: Apache-2.0
// publish, observe and claim on a CUDA GPU: PTX of the memory model (PTX ISA 6.0 and later,
// sections "ld", "st", "atom", "fence"), sm_70 and up. Included by ../order.h only; contracts are
// there. tests/ptx checks the text that these become.
#pragma once

namespace warpnic {
namespace ptx {

#define WARPNIC_PTX_SCOPE(name, scope)                                                          \
  struct name {                                                                                 \
    static __device__ void fence_release() {                                                    \
      asm volatile("fence.acq_rel." scope ";" ::: "memory");                                    \
    }                                                                                           \
    static __device__ void fence_acquire() {                                                    \
      asm volatile("fence.acq_rel." scope ";" ::: "memory");                                    \
    }                                                                                           \
    static __device__ void fence_full() { asm volatile("fence.sc." scope ";" ::: "memory"); }   \
    static __device__ void store(uint32_t* p, uint32_t v) {                                     \
      asm volatile("st.relaxed." scope ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");           \
    }                                                                                           \
    static __device__ void store(uint64_t* p, uint64_t v) {                                     \
      asm volatile("st.relaxed." scope ".u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");           \
    }                                                                                           \
    static __device__ uint32_t load_acquire(const uint32_t* p) {                                \
      uint32_t v;                                                                               \
      asm volatile("ld.acquire." scope ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");         \
      return v;                                                                                 \
    }                                                                                           \
    static __device__ uint64_t load_acquire(const uint64_t* p) {                                \
      uint64_t v;                                                                               \
      asm volatile("ld.acquire." scope ".u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");         \
      return v;                                                                                 \
    }                                                                                           \
    static __device__ uint32_t load(const uint32_t* p) {                                        \
      uint32_t v;                                                                               \
      asm volatile("ld.relaxed." scope ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");         \
      return v;                                                                                 \
    }                                                                                           \
    static __device__ uint64_t load(const uint64_t* p) {                                        \
      uint64_t v;                                                                               \
      asm volatile("ld.relaxed." scope ".u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");         \
      return v;                                                                                 \
    }                                                                                           \
    static __device__ uint32_t add(uint32_t* p, uint32_t n) {                                   \
      uint32_t v;                                                                               \
      asm volatile("atom.relaxed." scope ".add.u32 %0, [%1], %2;"                               \
                   : "=r"(v) : "l"(p), "r"(n) : "memory");                                      \
      return v;                                                                                 \
    }                                                                                           \
    static __device__ uint64_t add(uint64_t* p, uint64_t n) {                                   \
      uint64_t v;                                                                               \
      asm volatile("atom.relaxed." scope ".add.u64 %0, [%1], %2;"                               \
                   : "=l"(v) : "l"(p), "l"(n) : "memory");                                      \
      return v;                                                                                 \
    }                                                                                           \
    static __device__ uint32_t swap_if(uint32_t* p, uint32_t expected, uint32_t v) {            \
      uint32_t old;                                                                             \
      asm volatile("atom.acq_rel." scope ".cas.b32 %0, [%1], %2, %3;"                           \
                   : "=r"(old) : "l"(p), "r"(expected), "r"(v) : "memory");                     \
      return old;                                                                               \
    }                                                                                           \
    static __device__ uint64_t swap_if(uint64_t* p, uint64_t expected, uint64_t v) {            \
      uint64_t old;                                                                             \
      asm volatile("atom.acq_rel." scope ".cas.b64 %0, [%1], %2, %3;"                           \
                   : "=l"(old) : "l"(p), "l"(expected), "l"(v) : "memory");                     \
      return old;                                                                               \
    }                                                                                           \
  }

WARPNIC_PTX_SCOPE(Block, "cta");
WARPNIC_PTX_SCOPE(Device, "gpu");
WARPNIC_PTX_SCOPE(System, "sys");
#undef WARPNIC_PTX_SCOPE

template <Scope kScope>
struct Of;
template <>
struct Of<Scope::kBlock> : Block {};
template <>
struct Of<Scope::kDevice> : Device {};
template <>
struct Of<Scope::kSystem> : System {};

/// The unsigned word of T's size, on which the instructions above work.
template <class T>
struct WordOf {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shared word has 32 or 64 bits");
  using type = uint64_t;
};
template <>
struct WordOf<uint32_t> {
  using type = uint32_t;
};
template <>
struct WordOf<int32_t> {
  using type = uint32_t;
};
template <class T>
using Word = typename WordOf<T>::type;

}  // namespace ptx

template <Point kPoint, Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE void publish(T* word, T value) {
  if (!is_weakened(kPoint)) ptx::Of<kScope>::fence_release();
  ptx::Of<kScope>::store(reinterpret_cast<ptx::Word<T>*>(word), static_cast<ptx::Word<T>>(value));
}

template <Point kPoint, Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T observe(const T* word) {
  return static_cast<T>(
      ptx::Of<kScope>::load_acquire(reinterpret_cast<const ptx::Word<T>*>(word)));
}

template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T peek(const T* word) {
  return static_cast<T>(ptx::Of<kScope>::load(reinterpret_cast<const ptx::Word<T>*>(word)));
}

template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE void note(T* word, T value) {
  ptx::Of<kScope>::store(reinterpret_cast<ptx::Word<T>*>(word), static_cast<ptx::Word<T>>(value));
}

template <Scope kScope = Scope::kDevice, class T>
WARPNIC_DEVICE T claim(T* word, T count) {
  return static_cast<T>(ptx::Of<kScope>::add(reinterpret_cast<ptx::Word<T>*>(word),
                                             static_cast<ptx::Word<T>>(count)));
}

template <Scope kScope = Scope::kDevice, class T>
WARPNIC_DEVICE bool claim_if(T* word, T* expected, T value) {
  const auto old = ptx::Of<kScope>::swap_if(reinterpret_cast<ptx::Word<T>*>(word),
                                            static_cast<ptx::Word<T>>(*expected),
                                            static_cast<ptx::Word<T>>(value));
  const bool won = old == static_cast<ptx::Word<T>>(*expected);
  *expected = static_cast<T>(old);
  return won;
}

template <Point kPoint, Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE void publish_add(T* word, T count) {
  if (!is_weakened(kPoint)) ptx::Of<kScope>::fence_release();
  claim<kScope>(word, count);
}

/// An acquire per word would wait for each word in turn, about 0.7 us on a large GPU. So a group of
/// relaxed loads is in flight at a time, and one fence behind them all makes them acquires.
template <Point kPoint, Scope kScope = Scope::kSystem, class WordAt, class Holds>
WARPNIC_DEVICE auto observe_run(uint32_t limit, WordAt word_at, Holds holds)
    -> ObservedRun<decltype(peek<kScope>(word_at(0)))> {
  using T = decltype(peek<kScope>(word_at(0)));
  constexpr uint32_t kInFlight = 8;  // more need more registers than a block of 1024 has
  ObservedRun<T> run{0, 0};
  bool going = true;
  while (going && run.count < limit) {
    const uint32_t first = run.count;
    T values[kInFlight];
#pragma unroll
    for (uint32_t i = 0; i < kInFlight; ++i) {  // the last word again rather than a branch
      values[i] = peek<kScope>(word_at(first + i < limit ? first + i : limit - 1));
    }
#pragma unroll
    for (uint32_t i = 0; i < kInFlight; ++i) {
      if (!going || first + i >= limit) continue;
      going = holds(first + i, values[i]);
      if (going) {
        ++run.count;
      } else {
        run.next = values[i];
      }
    }
  }
  if (run.count != 0) ptx::Of<kScope>::fence_acquire();
  return run;
}

template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T mark_and_look(T* mark, T count, const T* word) {
  claim<kScope>(mark, count);
  ptx::Of<kScope>::fence_full();
  return static_cast<T>(
      ptx::Of<kScope>::load_acquire(reinterpret_cast<const ptx::Word<T>*>(word)));
}

template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE void store_and_fence(T* word, T value) {
  ptx::Of<kScope>::fence_full();
  note<kScope>(word, value);
  ptx::Of<kScope>::fence_full();
}

template <Scope kScope = Scope::kSystem, class T>
WARPNIC_DEVICE T load_and_fence(const T* word) {
  ptx::Of<kScope>::fence_full();
  return static_cast<T>(
      ptx::Of<kScope>::load_acquire(reinterpret_cast<const ptx::Word<T>*>(word)));
}

}  // namespace warpnic
