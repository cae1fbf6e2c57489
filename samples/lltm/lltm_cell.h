#pragma once

// One number of one state of an LLTM cell, a long short-term memory without a forget gate, for the
// CPU and CUDA alike:
//
//   i = sigmoid(input gate)   o = sigmoid(output gate)   c = elu(candidate)
//   new_cell = old_cell + c * i
//   new_h = tanh(new_cell) * o

#include <cmath>

// Only CUDA compilers know __host__ and __device__.
#ifdef __CUDACC__
#define LLTM_BOTH __host__ __device__
#else
#define LLTM_BOTH
#endif

namespace lltm_sample {

/// The gates after their activation functions. The gradient needs nothing else of the gates.
template <typename real>
struct Activated {
  real input;
  real output;
  real candidate;
};

template <typename real>
struct State {
  real h;
  real cell;
};

template <typename real>
LLTM_BOTH real sigmoid(real x) {
  return real(1) / (real(1) + std::exp(-x));
}

template <typename real>
LLTM_BOTH Activated<real> activate(real input, real output, real candidate) {
  // expm1 keeps the digits of exp(x) - 1 near 0.
  const real elu = candidate > real(0) ? candidate : std::expm1(candidate);
  return {sigmoid(input), sigmoid(output), elu};
}

template <typename real>
LLTM_BOTH State<real> next_state(const Activated<real>& gates, real old_cell) {
  const real cell = old_cell + gates.candidate * gates.input;
  return {std::tanh(cell) * gates.output, cell};
}

/// Gradients of the gates before their activation functions, and of old_cell.
template <typename real>
struct Gradients {
  Activated<real> gates;
  real old_cell;
};

template <typename real>
LLTM_BOTH Gradients<real> gradients_of(const State<real>& grad, const Activated<real>& gates,
                                       real new_cell) {
  const real tanh_cell = std::tanh(new_cell);
  const real cell = grad.cell + grad.h * gates.output * (real(1) - tanh_cell * tanh_cell);
  // elu(x) is exp(x) - 1 for x <= 0, so its slope is elu(x) + 1 there.
  const real elu_slope = gates.candidate > real(0) ? real(1) : gates.candidate + real(1);
  return {{cell * gates.candidate * gates.input * (real(1) - gates.input),
           grad.h * tanh_cell * gates.output * (real(1) - gates.output),
           cell * gates.input * elu_slope},
          cell};
}

}  // namespace lltm_sample
