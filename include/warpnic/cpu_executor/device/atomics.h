// atomicAdd and its relatives, with their _block and _system forms (the same thing on a CPU).
// Relaxed as in CUDA; under ThreadSanitizer acquire and release, since it does not model fences.
#pragma once

#ifdef WARPNIC_CPU_TSAN
#define WARPNIC_CPU_ATOMIC_ORDER __ATOMIC_ACQ_REL
#define WARPNIC_CPU_ATOMIC_FAILED __ATOMIC_ACQUIRE
#else
#define WARPNIC_CPU_ATOMIC_ORDER __ATOMIC_RELAXED
#define WARPNIC_CPU_ATOMIC_FAILED __ATOMIC_RELAXED
#endif

namespace warpnic_cpu_detail {

template <class T>
struct Same {  // keeps an argument out of template deduction: atomicAdd(&counter64, 1)
  using Type = T;
};

/// Applies change until nobody wrote in between; returns the old value. A change that returns
/// its argument unchanged is stored as well, as the hardware does.
template <class T, class Change>
WARPNIC_CPU_INLINE T update(T* word, Change change) {
  T old;
  __atomic_load(word, &old, __ATOMIC_RELAXED);
  T next = change(old);
  while (!__atomic_compare_exchange(word, &old, &next, false, WARPNIC_CPU_ATOMIC_ORDER,
                                    WARPNIC_CPU_ATOMIC_FAILED)) {
    next = change(old);
  }
  return old;
}

}  // namespace warpnic_cpu_detail

#define WARPNIC_CPU_ATOMIC(name, body)                                                           \
  template <class T>                                                                             \
  WARPNIC_CPU_INLINE T name(T* word, typename warpnic_cpu_detail::Same<T>::Type value) {         \
    body                                                                                         \
  }                                                                                              \
  template <class T>                                                                             \
  WARPNIC_CPU_INLINE T name##_block(T* word, typename warpnic_cpu_detail::Same<T>::Type value) { \
    return name(word, value);                                                                    \
  }                                                                                              \
  template <class T>                                                                             \
  WARPNIC_CPU_INLINE T name##_system(T* word,                                                    \
                                     typename warpnic_cpu_detail::Same<T>::Type value) {         \
    return name(word, value);                                                                    \
  }

WARPNIC_CPU_ATOMIC(atomicAdd, {
  if constexpr (std::is_integral<T>::value) {
    return __atomic_fetch_add(word, value, WARPNIC_CPU_ATOMIC_ORDER);
  } else {
    return warpnic_cpu_detail::update(word, [=](T old) { return old + value; });
  }
})
WARPNIC_CPU_ATOMIC(atomicSub,
                   { return __atomic_fetch_sub(word, value, WARPNIC_CPU_ATOMIC_ORDER); })
WARPNIC_CPU_ATOMIC(atomicAnd,
                   { return __atomic_fetch_and(word, value, WARPNIC_CPU_ATOMIC_ORDER); })
WARPNIC_CPU_ATOMIC(atomicOr, { return __atomic_fetch_or(word, value, WARPNIC_CPU_ATOMIC_ORDER); })
WARPNIC_CPU_ATOMIC(atomicXor,
                   { return __atomic_fetch_xor(word, value, WARPNIC_CPU_ATOMIC_ORDER); })
WARPNIC_CPU_ATOMIC(atomicExch, {
  T old;
  __atomic_exchange(word, &value, &old, WARPNIC_CPU_ATOMIC_ORDER);
  return old;
})
WARPNIC_CPU_ATOMIC(atomicMin, {
  return warpnic_cpu_detail::update(word, [=](T old) { return value < old ? value : old; });
})
WARPNIC_CPU_ATOMIC(atomicMax, {
  return warpnic_cpu_detail::update(word, [=](T old) { return value > old ? value : old; });
})
WARPNIC_CPU_ATOMIC(atomicInc, {
  return warpnic_cpu_detail::update(word, [=](T old) { return old >= value ? T(0) : T(old + 1); });
})
WARPNIC_CPU_ATOMIC(atomicDec, {
  return warpnic_cpu_detail::update(
      word, [=](T old) { return old == 0 || old > value ? value : T(old - 1); });
})
#undef WARPNIC_CPU_ATOMIC

template <class T>
WARPNIC_CPU_INLINE T atomicCAS(T* word, typename warpnic_cpu_detail::Same<T>::Type expected,
                               typename warpnic_cpu_detail::Same<T>::Type value) {
  __atomic_compare_exchange(word, &expected, &value, false, WARPNIC_CPU_ATOMIC_ORDER,
                            WARPNIC_CPU_ATOMIC_FAILED);
  return expected;
}
template <class T>
WARPNIC_CPU_INLINE T atomicCAS_block(T* word, typename warpnic_cpu_detail::Same<T>::Type expected,
                                     typename warpnic_cpu_detail::Same<T>::Type value) {
  return atomicCAS(word, expected, value);
}
template <class T>
WARPNIC_CPU_INLINE T atomicCAS_system(T* word, typename warpnic_cpu_detail::Same<T>::Type expected,
                                      typename warpnic_cpu_detail::Same<T>::Type value) {
  return atomicCAS(word, expected, value);
}
