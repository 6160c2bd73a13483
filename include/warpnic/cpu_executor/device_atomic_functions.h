// Atomics come with cuda_runtime.h; this file exists for programs that name it.
#pragma once
#include "cuda_runtime.h"
