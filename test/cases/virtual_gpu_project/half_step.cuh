#pragma once

__device__ inline float half_step(float x) {
  return x * 0.5f;
}
