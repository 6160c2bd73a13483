// make_int2(1, 2) and its relatives.
#ifndef WARPNIC_CPU_EXECUTOR_VECTOR_FUNCTIONS_H
#define WARPNIC_CPU_EXECUTOR_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#ifdef __cplusplus
#define WARPNIC_CPU_MAKE(name, type)                                                           \
  WARPNIC_CPU_BOTH inline name##1 make_##name##1(type x) { return name##1{x}; }                \
  WARPNIC_CPU_BOTH inline name##2 make_##name##2(type x, type y) { return name##2{x, y}; }     \
  WARPNIC_CPU_BOTH inline name##3 make_##name##3(type x, type y, type z) {                     \
    return name##3{x, y, z};                                                                   \
  }                                                                                            \
  WARPNIC_CPU_BOTH inline name##4 make_##name##4(type x, type y, type z, type w) {             \
    return name##4{x, y, z, w};                                                                \
  }

WARPNIC_CPU_MAKE(char, signed char)
WARPNIC_CPU_MAKE(uchar, unsigned char)
WARPNIC_CPU_MAKE(short, short)
WARPNIC_CPU_MAKE(ushort, unsigned short)
WARPNIC_CPU_MAKE(int, int)
WARPNIC_CPU_MAKE(uint, unsigned int)
WARPNIC_CPU_MAKE(long, long)
WARPNIC_CPU_MAKE(ulong, unsigned long)
WARPNIC_CPU_MAKE(longlong, long long)
WARPNIC_CPU_MAKE(ulonglong, unsigned long long)
WARPNIC_CPU_MAKE(float, float)
WARPNIC_CPU_MAKE(double, double)

#undef WARPNIC_CPU_MAKE
#endif

#endif
