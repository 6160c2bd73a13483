// Warp operations of a kernel: __syncwarp, votes, shuffles, matches, reductions.
// Each meets the lanes of its mask once in the runtime, which also reports lanes that call with
// different operations or masks. Exited lanes count as arrived; their values are not defined.
#pragma once

extern "C" {
enum WarpnicCpuWarpOperation {
  kWarpnicCpuSync = 0,
  kWarpnicCpuVote = 1,
  kWarpnicCpuShuffle = 2,
  kWarpnicCpuMatch = 3,
  kWarpnicCpuReduce = 4,
};
/// Waits for the lanes of mask; returns the lanes whose value was not zero. values, if not null,
/// receives the value of every lane (32 entries); *arrived the lanes that took part.
WARPNIC_CPU_CALL unsigned int warpnic_cpu_warp(unsigned int mask, uint64_t value, int operation,
                                               uint64_t* values, unsigned int* arrived);
}

WARPNIC_CPU_INLINE void __syncwarp(unsigned int mask = 0xffffffffu) {
  warpnic_cpu_warp(mask, 0, kWarpnicCpuSync, nullptr, nullptr);
}
WARPNIC_CPU_INLINE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return warpnic_cpu_warp(mask, predicate != 0, kWarpnicCpuVote, nullptr, nullptr);
}
WARPNIC_CPU_INLINE int __any_sync(unsigned int mask, int predicate) {
  return warpnic_cpu_warp(mask, predicate != 0, kWarpnicCpuVote, nullptr, nullptr) != 0;
}
WARPNIC_CPU_INLINE int __all_sync(unsigned int mask, int predicate) {
  return warpnic_cpu_warp(mask, predicate == 0, kWarpnicCpuVote, nullptr, nullptr) == 0;
}
// Lanes run one by one, so only the caller itself is known to be active: legal, if pessimistic.
WARPNIC_CPU_INLINE unsigned int __activemask() { return 1u << warpnic_cpu_lane(); }

namespace warpnic_cpu_detail {

template <class T>
WARPNIC_CPU_INLINE uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8, "warp operations move at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
WARPNIC_CPU_INLINE T from_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
WARPNIC_CPU_INLINE T shuffle(unsigned int mask, T value, int source, bool in_range) {
  uint64_t values[32];
  warpnic_cpu_warp(mask, to_bits(value), kWarpnicCpuShuffle, values, nullptr);
  if (!in_range) {
    return value;
  }
  if (((mask >> source) & 1) == 0) {
    warpnic_cpu_trap("a shuffle reads a lane that is not in its mask");
  }
  return from_bits<T>(values[source]);
}

template <class T, class Combine>
WARPNIC_CPU_INLINE T reduce(unsigned int mask, T value, Combine combine) {
  uint64_t values[32];
  unsigned int arrived = 0;
  warpnic_cpu_warp(mask, to_bits(value), kWarpnicCpuReduce, values, &arrived);
  T result = value;
  const unsigned int self = 1u << warpnic_cpu_lane();
  for (unsigned int rest = arrived & ~self; rest != 0; rest &= rest - 1) {
    result = combine(result, from_bits<T>(values[__builtin_ctz(rest)]));
  }
  return result;
}

}  // namespace warpnic_cpu_detail

template <class T>
WARPNIC_CPU_INLINE T __shfl_sync(unsigned int mask, T value, int source, int width = 32) {
  const int lane = static_cast<int>(warpnic_cpu_lane());
  return warpnic_cpu_detail::shuffle(mask, value, (lane & ~(width - 1)) | (source & (width - 1)),
                                     true);
}
template <class T>
WARPNIC_CPU_INLINE T __shfl_up_sync(unsigned int mask, T value, unsigned int delta,
                                    int width = 32) {
  const int lane = static_cast<int>(warpnic_cpu_lane());
  const int source = lane - static_cast<int>(delta);
  return warpnic_cpu_detail::shuffle(mask, value, source & 31, source >= (lane & ~(width - 1)));
}
template <class T>
WARPNIC_CPU_INLINE T __shfl_down_sync(unsigned int mask, T value, unsigned int delta,
                                      int width = 32) {
  const int lane = static_cast<int>(warpnic_cpu_lane());
  const int source = lane + static_cast<int>(delta);
  return warpnic_cpu_detail::shuffle(mask, value, source & 31,
                                     source < (lane & ~(width - 1)) + width);
}
template <class T>
WARPNIC_CPU_INLINE T __shfl_xor_sync(unsigned int mask, T value, int bits, int width = 32) {
  const int lane = static_cast<int>(warpnic_cpu_lane());
  const int source = lane ^ bits;
  return warpnic_cpu_detail::shuffle(mask, value, source & 31,
                                     source < (lane & ~(width - 1)) + width);
}

template <class T>
WARPNIC_CPU_INLINE unsigned int __match_any_sync(unsigned int mask, T value) {
  uint64_t values[32];
  unsigned int arrived = 0;
  const uint64_t own = warpnic_cpu_detail::to_bits(value);
  warpnic_cpu_warp(mask, own, kWarpnicCpuMatch, values, &arrived);
  unsigned int same = 0;
  for (unsigned int rest = arrived; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (values[lane] == own) {
      same |= 1u << lane;
    }
  }
  return same;
}
template <class T>
WARPNIC_CPU_INLINE unsigned int __match_all_sync(unsigned int mask, T value, int* all_equal) {
  uint64_t values[32];
  unsigned int arrived = 0;
  const uint64_t own = warpnic_cpu_detail::to_bits(value);
  warpnic_cpu_warp(mask, own, kWarpnicCpuMatch, values, &arrived);
  *all_equal = 1;
  for (unsigned int rest = arrived; rest != 0; rest &= rest - 1) {
    if (values[__builtin_ctz(rest)] != own) {
      *all_equal = 0;
    }
  }
  return *all_equal ? mask : 0;
}

#define WARPNIC_CPU_REDUCE(name, type, expression)                                        \
  WARPNIC_CPU_INLINE type name(unsigned int mask, type value) {                           \
    return warpnic_cpu_detail::reduce(                                                    \
        mask, value, [](type a, type b) { return static_cast<type>(expression); });       \
  }
WARPNIC_CPU_REDUCE(__reduce_add_sync, unsigned int, a + b)
WARPNIC_CPU_REDUCE(__reduce_add_sync, int, static_cast<unsigned>(a) + static_cast<unsigned>(b))
WARPNIC_CPU_REDUCE(__reduce_min_sync, unsigned int, a < b ? a : b)
WARPNIC_CPU_REDUCE(__reduce_min_sync, int, a < b ? a : b)
WARPNIC_CPU_REDUCE(__reduce_max_sync, unsigned int, a > b ? a : b)
WARPNIC_CPU_REDUCE(__reduce_max_sync, int, a > b ? a : b)
WARPNIC_CPU_REDUCE(__reduce_and_sync, unsigned int, a& b)
WARPNIC_CPU_REDUCE(__reduce_or_sync, unsigned int, a | b)
WARPNIC_CPU_REDUCE(__reduce_xor_sync, unsigned int, a ^ b)
#undef WARPNIC_CPU_REDUCE
