// CUDA's vector types and dim3, for C11 and C++. Alignments are CUDA's.
#ifndef WARPNIC_CPU_EXECUTOR_VECTOR_TYPES_H
#define WARPNIC_CPU_EXECUTOR_VECTOR_TYPES_H

#define WARPNIC_CPU_VECTOR_TYPES(name, type, align2, align4) \
  struct name##1 {                                           \
    type x;                                                  \
  };                                                         \
  struct __attribute__((aligned(align2))) name##2 {          \
    type x, y;                                               \
  };                                                         \
  struct name##3 {                                           \
    type x, y, z;                                            \
  };                                                         \
  struct __attribute__((aligned(align4))) name##4 {          \
    type x, y, z, w;                                         \
  };                                                         \
  typedef struct name##1 name##1;                            \
  typedef struct name##2 name##2;                            \
  typedef struct name##3 name##3;                            \
  typedef struct name##4 name##4;

WARPNIC_CPU_VECTOR_TYPES(char, signed char, 2, 4)
WARPNIC_CPU_VECTOR_TYPES(uchar, unsigned char, 2, 4)
WARPNIC_CPU_VECTOR_TYPES(short, short, 4, 8)
WARPNIC_CPU_VECTOR_TYPES(ushort, unsigned short, 4, 8)
WARPNIC_CPU_VECTOR_TYPES(int, int, 8, 16)
WARPNIC_CPU_VECTOR_TYPES(uint, unsigned int, 8, 16)
WARPNIC_CPU_VECTOR_TYPES(long, long, 16, 16)
WARPNIC_CPU_VECTOR_TYPES(ulong, unsigned long, 16, 16)
WARPNIC_CPU_VECTOR_TYPES(longlong, long long, 16, 16)
WARPNIC_CPU_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
WARPNIC_CPU_VECTOR_TYPES(float, float, 8, 16)
WARPNIC_CPU_VECTOR_TYPES(double, double, 16, 16)

#undef WARPNIC_CPU_VECTOR_TYPES

#if defined(__CUDA__) && defined(__clang__)
#define WARPNIC_CPU_BOTH __attribute__((host)) __attribute__((device))
#else
#define WARPNIC_CPU_BOTH
#endif

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  WARPNIC_CPU_BOTH constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  WARPNIC_CPU_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  WARPNIC_CPU_BOTH constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
