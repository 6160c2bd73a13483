// Integer intrinsics, min and max of the device language.
#pragma once

WARPNIC_CPU_INLINE int __popc(unsigned int v) { return __builtin_popcount(v); }
WARPNIC_CPU_INLINE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
WARPNIC_CPU_INLINE int __ffs(int v) { return __builtin_ffs(v); }
WARPNIC_CPU_INLINE int __ffsll(long long v) { return __builtin_ffsll(v); }
WARPNIC_CPU_INLINE int __clz(int v) { return v == 0 ? 32 : __builtin_clz(v); }
WARPNIC_CPU_INLINE int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll(v); }
WARPNIC_CPU_INLINE unsigned int __brev(unsigned int v) { return __builtin_bitreverse32(v); }
WARPNIC_CPU_INLINE unsigned long long __brevll(unsigned long long v) {
  return __builtin_bitreverse64(v);
}

WARPNIC_CPU_INLINE unsigned int __byte_perm(unsigned int low, unsigned int high,
                                            unsigned int selector) {
  const uint64_t bytes = static_cast<uint64_t>(high) << 32 | low;
  unsigned int result = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned int nibble = selector >> (4 * i);
    unsigned int byte = static_cast<unsigned int>(bytes >> ((nibble & 7) * 8)) & 0xff;
    if (nibble & 8) {  // the sign of the byte, eight times
      byte = byte & 0x80 ? 0xff : 0;
    }
    result |= byte << (8 * i);
  }
  return result;
}

WARPNIC_CPU_INLINE unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                                unsigned int shift) {
  const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<unsigned int>((both << (shift & 31)) >> 32);
}
WARPNIC_CPU_INLINE unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                                unsigned int shift) {
  const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<unsigned int>(both >> (shift & 31));
}
WARPNIC_CPU_INLINE unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                                 unsigned int shift) {
  const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<unsigned int>((both << (shift < 32 ? shift : 32)) >> 32);
}
WARPNIC_CPU_INLINE unsigned int __funnelshift_rc(unsigned int low, unsigned int high,
                                                 unsigned int shift) {
  const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<unsigned int>(both >> (shift < 32 ? shift : 32));
}

WARPNIC_CPU_INLINE unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<uint64_t>(a) * b) >> 32);
}
WARPNIC_CPU_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
WARPNIC_CPU_INLINE int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
WARPNIC_CPU_INLINE float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
WARPNIC_CPU_INLINE unsigned int __float_as_uint(float v) {
  return __builtin_bit_cast(unsigned int, v);
}
WARPNIC_CPU_INLINE float __uint_as_float(unsigned int v) { return __builtin_bit_cast(float, v); }

template <class A, class B>
__host__ __device__ constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) > static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b);
}
template <class A, class B>
__host__ __device__ constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b);
}
