// Random numbers of Thrust. The engines' sequences are those that their names say; what
// distributions make of them may differ from NVIDIA's library.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace thrust::random {

// x := (a x + c) mod m.
template <typename T, T a, T c, T m>
class linear_congruential_engine {
 public:
  using result_type = T;
  static constexpr T multiplier = a;
  static constexpr T increment = c;
  static constexpr T modulus = m;
  static constexpr T min = c == 0 ? 1 : 0;
  static constexpr T max = m - 1;
  static constexpr T default_seed = 1;

  explicit linear_congruential_engine(T seed = default_seed) { this->seed(seed); }
  void seed(T seed = default_seed) {
    x_ = static_cast<T>(seed % m);
    if (c == 0 && x_ == 0) x_ = 1;
  }
  T operator()() {
    x_ = static_cast<T>((static_cast<unsigned __int128>(a) * x_ + c) % m);
    return x_;
  }
  // The step is composed with itself: this costs as much as the number has bits.
  void discard(unsigned long long count) {
    unsigned __int128 factor = a;
    unsigned __int128 addend = c;
    for (; count != 0; count >>= 1) {
      if (count & 1) x_ = static_cast<T>((factor * x_ + addend) % m);
      addend = (factor * addend + addend) % m;
      factor = factor * factor % m;
    }
  }
  friend bool operator==(const linear_congruential_engine& p, const linear_congruential_engine& q) {
    return p.x_ == q.x_;
  }

 private:
  T x_;
};

using minstd_rand0 = linear_congruential_engine<std::uint32_t, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

template <typename T = double>
class uniform_real_distribution {
 public:
  using result_type = T;
  explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
  // In [a, b).
  template <typename Engine>
  T operator()(Engine& engine) {
    const double range = static_cast<double>(Engine::max - Engine::min) + 1.0;
    const T part = static_cast<T>(static_cast<double>(engine() - Engine::min) / range);
    const T result = part * (b_ - a_) + a_;
    return result < b_ || !(a_ < b_) ? result : std::nextafter(b_, a_);
  }
  T a() const { return a_; }
  T b() const { return b_; }
  T min() const { return a_; }
  T max() const { return b_; }
  void reset() {}

 private:
  T a_;
  T b_;
};

template <typename T = int>
class uniform_int_distribution {
 public:
  using result_type = T;
  explicit uniform_int_distribution(T a = 0, T b = std::numeric_limits<T>::max()) : a_(a), b_(b) {}
  template <typename Engine>
  T operator()(Engine& engine) {
    uniform_real_distribution<double> real(0.0,
                                           static_cast<double>(b_) - static_cast<double>(a_) + 1.0);
    return static_cast<T>(static_cast<double>(a_) + std::floor(real(engine)));
  }
  T a() const { return a_; }
  T b() const { return b_; }
  T min() const { return a_; }
  T max() const { return b_; }
  void reset() {}

 private:
  T a_;
  T b_;
};

// Box and Muller's method: two numbers of the engine for one.
template <typename T = double>
class normal_distribution {
 public:
  using result_type = T;
  explicit normal_distribution(T mean = 0, T stddev = 1) : mean_(mean), stddev_(stddev) {}
  template <typename Engine>
  T operator()(Engine& engine) {
    uniform_real_distribution<double> real;
    const double radius = std::sqrt(-2.0 * std::log(1.0 - real(engine)));
    const double angle = 6.283185307179586 * real(engine);
    return static_cast<T>(radius * std::cos(angle)) * stddev_ + mean_;
  }
  T mean() const { return mean_; }
  T stddev() const { return stddev_; }
  void reset() {}

 private:
  T mean_;
  T stddev_;
};

}  // namespace thrust::random

namespace thrust {

using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

}  // namespace thrust
