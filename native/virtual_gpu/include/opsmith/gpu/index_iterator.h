// The arithmetic of iterators that are an index and a rule: Derived has get(index), and
// minus() if the index alone does not tell two iterators apart.
#pragma once
#include <cstddef>
#include <iterator>

namespace opsmith::gpu {

template <typename Derived, typename Value, typename Reference>
class index_iterator {
 public:
  using self_type = Derived;
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Reference;

  Reference operator*() const { return self().get(at_); }
  Reference operator[](difference_type i) const { return self().get(at_ + i); }

  Derived& operator++() { return *this += 1; }
  Derived& operator--() { return *this += -1; }
  Derived operator++(int) {
    Derived old = self();
    *this += 1;
    return old;
  }
  Derived operator--(int) {
    Derived old = self();
    *this += -1;
    return old;
  }
  Derived& operator+=(difference_type n) {
    at_ += n;
    return static_cast<Derived&>(*this);
  }
  Derived& operator-=(difference_type n) { return *this += -n; }
  Derived operator+(difference_type n) const {
    Derived moved = self();
    moved.at_ += n;
    return moved;
  }
  Derived operator-(difference_type n) const { return *this + -n; }
  friend Derived operator+(difference_type n, const Derived& it) { return it + n; }
  friend difference_type operator-(const Derived& a, const Derived& b) { return a.minus(b); }
  friend bool operator==(const Derived& a, const Derived& b) { return a.minus(b) == 0; }
  friend bool operator!=(const Derived& a, const Derived& b) { return a.minus(b) != 0; }
  friend bool operator<(const Derived& a, const Derived& b) { return a.minus(b) < 0; }
  friend bool operator>(const Derived& a, const Derived& b) { return a.minus(b) > 0; }
  friend bool operator<=(const Derived& a, const Derived& b) { return a.minus(b) <= 0; }
  friend bool operator>=(const Derived& a, const Derived& b) { return a.minus(b) >= 0; }

  // Iterators with a base compare their bases.
  difference_type minus(const Derived& other) const { return at_ - other.at_; }

 protected:
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  difference_type at_ = 0;
};

}  // namespace opsmith::gpu
