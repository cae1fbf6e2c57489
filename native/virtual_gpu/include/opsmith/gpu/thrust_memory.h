// Pointers, references, allocation and vectors of Thrust.
#pragma once
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <opsmith/gpu/thrust_policy.h>

namespace thrust {

template <typename T>
class device_ptr;
template <typename T>
class device_reference;

namespace detail {

// Host code that reads one element.
template <typename T>
T read_device(const T* from) {
  const device_scope scope(0);
  return *from;
}
template <typename T, typename U>
void write_device(T* to, U&& value) {
  const device_scope scope(0);
  *to = std::forward<U>(value);
}

template <typename Derived, typename T, typename Reference>
class pointer {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer_type = Derived;
  using raw_pointer = T*;
  using reference = Reference;

  constexpr pointer() = default;
  constexpr explicit pointer(T* raw) : raw_(raw) {}

  T* get() const { return raw_; }
  T* opsmith_raw() const { return raw_; }
  explicit operator bool() const { return raw_ != nullptr; }

  Derived& operator++() { return *this += 1; }
  Derived& operator--() { return *this += -1; }
  Derived operator++(int) { return Derived(std::exchange(raw_, raw_ + 1)); }
  Derived operator--(int) { return Derived(std::exchange(raw_, raw_ - 1)); }
  Derived& operator+=(difference_type n) {
    raw_ += n;
    return static_cast<Derived&>(*this);
  }
  Derived& operator-=(difference_type n) { return *this += -n; }
  friend Derived operator+(const Derived& p, difference_type n) { return Derived(p.raw_ + n); }
  friend Derived operator+(difference_type n, const Derived& p) { return Derived(p.raw_ + n); }
  friend Derived operator-(const Derived& p, difference_type n) { return Derived(p.raw_ - n); }

 private:
  T* raw_ = nullptr;
};

template <typename T>
concept wrapped_pointer = requires(const T& p) {
  typename T::raw_pointer;
  { p.get() } -> std::same_as<typename T::raw_pointer>;
};

}  // namespace detail

template <detail::wrapped_pointer A, detail::wrapped_pointer B>
std::ptrdiff_t operator-(const A& a, const B& b) {
  return a.get() - b.get();
}
template <detail::wrapped_pointer A, detail::wrapped_pointer B>
bool operator==(const A& a, const B& b) {
  return a.get() == b.get();
}
template <detail::wrapped_pointer A>
bool operator==(const A& a, std::nullptr_t) {
  return a.get() == nullptr;
}
template <detail::wrapped_pointer A, detail::wrapped_pointer B>
auto operator<=>(const A& a, const B& b) {
  return a.get() <=> b.get();
}

template <typename T>
class device_ptr : public detail::pointer<device_ptr<T>, T, device_reference<T>> {
  using base = detail::pointer<device_ptr<T>, T, device_reference<T>>;

 public:
  using pointer = device_ptr;
  template <typename U>
  using rebind = device_ptr<U>;

  constexpr device_ptr() = default;
  constexpr device_ptr(std::nullptr_t) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  constexpr explicit device_ptr(U* raw) : base(raw) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  constexpr device_ptr(const device_ptr<U>& other) : base(other.get()) {}

  device_reference<T> operator*() const { return device_reference<T>(*this); }
  device_reference<T> operator[](std::ptrdiff_t i) const { return device_reference<T>(*this + i); }
  // Reads only, as host code cannot refer to members of device memory.
  T* operator->() const { return this->get(); }
};

template <>
class device_ptr<void> {
 public:
  using raw_pointer = void*;
  device_ptr() = default;
  explicit device_ptr(void* raw) : raw_(raw) {}
  template <typename U>
  device_ptr(const device_ptr<U>& other) : raw_(other.get()) {}
  template <typename U>
  explicit operator device_ptr<U>() const {
    return device_ptr<U>(static_cast<U*>(raw_));
  }
  void* get() const { return raw_; }

 private:
  void* raw_ = nullptr;
};

// A place in device memory. Reading and writing it are copies of one element.
template <typename T>
class device_reference {
 public:
  using value_type = std::remove_cv_t<T>;
  using pointer = device_ptr<T>;

  explicit device_reference(const device_ptr<T>& place) : place_(place.get()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  device_reference(const device_reference<U>& other) : place_((&other).get()) {}
  device_reference(const device_reference&) = default;

  operator value_type() const { return detail::read_device<value_type>(place_); }
  device_ptr<T> operator&() const { return device_ptr<T>(place_); }

  const device_reference& operator=(const value_type& value) const {
    detail::write_device(place_, value);
    return *this;
  }
  const device_reference& operator=(const device_reference& other) const {
    return *this = static_cast<value_type>(other);
  }
  template <typename U>
  const device_reference& operator=(const device_reference<U>& other) const {
    return *this = static_cast<value_type>(static_cast<std::remove_cv_t<U>>(other));
  }

#define OPSMITH_THRUST_ASSIGN(OPERATOR)                              \
  template <typename U>                                              \
  const device_reference& operator OPERATOR(const U & value) const { \
    value_type changed = *this;                                      \
    changed OPERATOR value;                                          \
    return *this = changed;                                          \
  }
  OPSMITH_THRUST_ASSIGN(+=)
  OPSMITH_THRUST_ASSIGN(-=)
  OPSMITH_THRUST_ASSIGN(*=)
  OPSMITH_THRUST_ASSIGN(/=)
  OPSMITH_THRUST_ASSIGN(%=)
  OPSMITH_THRUST_ASSIGN(&=)
  OPSMITH_THRUST_ASSIGN(|=)
  OPSMITH_THRUST_ASSIGN(^=)
  OPSMITH_THRUST_ASSIGN(<<=)
  OPSMITH_THRUST_ASSIGN(>>=)
#undef OPSMITH_THRUST_ASSIGN
  const device_reference& operator++() const { return *this += 1; }
  const device_reference& operator--() const { return *this -= 1; }
  value_type operator++(int) const {
    const value_type old = *this;
    *this += 1;
    return old;
  }
  value_type operator--(int) const {
    const value_type old = *this;
    *this -= 1;
    return old;
  }

  friend void swap(device_reference a, device_reference b) {
    const value_type old = a;
    a = static_cast<value_type>(b);
    b = old;
  }
  template <typename Stream>
    requires requires(Stream& stream, const value_type& value) { stream << value; }
  friend Stream& operator<<(Stream& stream, const device_reference& reference) {
    stream << static_cast<value_type>(reference);
    return stream;
  }

 private:
  T* place_;
};

// A pointer to memory that host and device share.
template <typename T>
class universal_ptr : public detail::pointer<universal_ptr<T>, T, T&> {
  using base = detail::pointer<universal_ptr<T>, T, T&>;

 public:
  using pointer = universal_ptr;
  constexpr universal_ptr() = default;
  constexpr universal_ptr(std::nullptr_t) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  constexpr explicit universal_ptr(U* raw) : base(raw) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  constexpr universal_ptr(const universal_ptr<U>& other) : base(other.get()) {}

  T& operator*() const { return *this->get(); }
  T& operator[](std::ptrdiff_t i) const { return this->get()[i]; }
  T* operator->() const { return this->get(); }
};

namespace detail {

template <typename T>
struct memory_of<device_ptr<T>> {
  static constexpr memory value = memory::device;
};
template <typename T>
struct memory_of<universal_ptr<T>> {
  static constexpr memory value = memory::device;
};

}  // namespace detail

template <typename T>
device_ptr<T> device_pointer_cast(T* raw) {
  return device_ptr<T>(raw);
}
template <typename T>
device_ptr<T> device_pointer_cast(const device_ptr<T>& pointer) {
  return pointer;
}
template <typename T>
T* raw_pointer_cast(T* raw) {
  return raw;
}
template <typename T>
  requires requires { typename T::raw_pointer; }
auto raw_pointer_cast(const T& pointer) {
  return pointer.get();
}
template <typename T>
T& raw_reference_cast(T& reference) {
  return reference;
}
template <typename T>
T& raw_reference_cast(const device_reference<T>& reference) {
  return *(&reference).get();
}

inline device_ptr<void> device_malloc(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes);
  if (error != cudaSuccess) {
    cudaGetLastError();
    throw system::detail::bad_alloc(cudaGetErrorString(error));
  }
  return device_ptr<void>(memory);
}
template <typename T>
device_ptr<T> device_malloc(std::size_t count) {
  return device_ptr<T>(static_cast<T*>(device_malloc(count * sizeof(T)).get()));
}
template <typename T>
void device_free(device_ptr<T> pointer) {
  detail::check(cudaFree(pointer.get()), "thrust: device_free failed");
}
template <typename T>
device_ptr<T> device_new(std::size_t count = 1) {
  const device_ptr<T> memory = device_malloc<T>(count);
  const detail::device_scope scope(0);
  for (std::size_t i = 0; i < count; ++i)
    new (memory.get() + i) T();
  return memory;
}
template <typename T>
void device_delete(device_ptr<T> pointer, std::size_t count = 1) {
  {
    const detail::device_scope scope(0);
    for (std::size_t i = 0; i < count; ++i)
      pointer.get()[i].~T();
  }
  thrust::device_free(pointer);
}

struct default_init_t {};
inline constexpr default_init_t default_init;
struct no_init_t {};
inline constexpr no_init_t no_init;

namespace detail {

struct host_memory {
  template <typename T>
  using pointer = T*;
  template <typename T>
  using reference = T&;
  static no_scope scope() { return {}; }
  template <typename T>
  static T* allocate(std::size_t count) {
    return std::allocator<T>().allocate(count);
  }
  template <typename T>
  static void free(T* memory, std::size_t count) {
    std::allocator<T>().deallocate(memory, count);
  }
};

struct device_memory {
  template <typename T>
  using pointer = device_ptr<T>;
  template <typename T>
  using reference = device_reference<T>;
  static device_scope scope() { return device_scope(0); }
  template <typename T>
  static T* allocate(std::size_t count) {
    return thrust::device_malloc<T>(count).get();
  }
  // A destructor may run after an error of the device: it cannot throw.
  template <typename T>
  static void free(T* memory, std::size_t) {
    static_cast<void>(cudaFree(memory));
  }
};

struct managed_memory {
  template <typename T>
  using pointer = universal_ptr<T>;
  template <typename T>
  using reference = T&;
  static device_scope scope() { return device_scope(0); }
  template <typename T>
  static T* allocate(std::size_t count) {
    void* memory = nullptr;
    const cudaError_t error = cudaMallocManaged(&memory, count * sizeof(T));
    if (error != cudaSuccess) {
      cudaGetLastError();
      throw system::detail::bad_alloc(cudaGetErrorString(error));
    }
    return static_cast<T*>(memory);
  }
  template <typename T>
  static void free(T* memory, std::size_t) {
    static_cast<void>(cudaFree(memory));
  }
};

// A copy between host and device must be in the scope of the device.
template <typename Memory, typename Iterator>
auto copy_scope() {
  if constexpr (memory_of<Iterator>::value == memory::device) {
    return device_scope(0);
  } else {
    return Memory::scope();
  }
}

template <typename T, typename Memory>
class vector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = typename Memory::template pointer<T>;
  using const_pointer = typename Memory::template pointer<const T>;
  using reference = typename Memory::template reference<T>;
  using const_reference = typename Memory::template reference<const T>;
  using iterator = pointer;
  using const_iterator = const_pointer;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  vector() = default;
  explicit vector(size_type count) { resize(count); }
  vector(size_type count, const T& value) { resize(count, value); }
  vector(size_type count, default_init_t) { enlarge_raw(count); }
  vector(size_type count, no_init_t) { enlarge_raw(count); }
  template <std::input_iterator Iterator>
  vector(Iterator first, Iterator last) {
    assign(first, last);
  }
  template <typename Iterator>
    requires(!std::input_iterator<Iterator> &&
             requires { typename std::iterator_traits<Iterator>::iterator_category; })
  vector(Iterator first, Iterator last) {
    assign(first, last);
  }
  vector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  vector(const vector& other) { assign(other.begin(), other.end()); }
  vector(vector&& other) noexcept { swap(other); }
  template <typename U, typename Other>
  vector(const vector<U, Other>& other) {
    assign(other.begin(), other.end());
  }
  template <typename U, typename Allocator>
  vector(const std::vector<U, Allocator>& other) {
    assign(other.begin(), other.end());
  }
  ~vector() { release(); }

  vector& operator=(const vector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  vector& operator=(vector&& other) noexcept {
    swap(other);
    return *this;
  }
  template <typename U, typename Other>
  vector& operator=(const vector<U, Other>& other) {
    assign(other.begin(), other.end());
    return *this;
  }
  template <typename U, typename Allocator>
  vector& operator=(const std::vector<U, Allocator>& other) {
    assign(other.begin(), other.end());
    return *this;
  }
  vector& operator=(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
    return *this;
  }

  size_type size() const { return size_; }
  size_type capacity() const { return capacity_; }
  size_type max_size() const { return static_cast<size_type>(-1) / sizeof(T); }
  bool empty() const { return size_ == 0; }

  pointer data() { return pointer(data_); }
  const_pointer data() const { return const_pointer(data_); }
  iterator begin() { return data(); }
  const_iterator begin() const { return data(); }
  const_iterator cbegin() const { return data(); }
  iterator end() { return data() + static_cast<difference_type>(size_); }
  const_iterator end() const { return data() + static_cast<difference_type>(size_); }
  const_iterator cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  const_reverse_iterator crbegin() const { return rbegin(); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
  const_reverse_iterator crend() const { return rend(); }
  reference operator[](size_type i) { return data()[static_cast<difference_type>(i)]; }
  const_reference operator[](size_type i) const { return data()[static_cast<difference_type>(i)]; }
  reference front() { return (*this)[0]; }
  const_reference front() const { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }
  const_reference back() const { return (*this)[size_ - 1]; }

  void reserve(size_type count) {
    if (count > capacity_) move_to(count);
  }
  void shrink_to_fit() {
    if (size_ < capacity_) move_to(size_);
  }
  void resize(size_type count) {
    change_size(count, [](T* place) { new (place) T(); });
  }
  void resize(size_type count, const T& value) {
    change_size(count, [&](T* place) { new (place) T(value); });
  }
  void resize(size_type count, default_init_t) { enlarge_raw(count); }
  void resize(size_type count, no_init_t) { enlarge_raw(count); }
  void clear() { resize(0); }
  void push_back(const T& value) {
    const T kept = value;
    grow_for(1);
    resize(size_ + 1, kept);
  }
  template <typename... Arguments>
  void emplace_back(Arguments&&... arguments) {
    push_back(T(std::forward<Arguments>(arguments)...));
  }
  void pop_back() { resize(size_ - 1); }

  void assign(size_type count, const T& value) {
    const T kept = value;
    clear();
    resize(count, kept);
  }
  void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <typename Iterator>
    requires requires { typename std::iterator_traits<Iterator>::iterator_category; }
  void assign(Iterator first, Iterator last) {
    insert_copies(0, first, last, true);
  }

  iterator insert(const_iterator at, const T& value) { return insert(at, 1, value); }
  iterator insert(const_iterator at, size_type count, const T& value) {
    const std::vector<T> copies(count, value);
    return insert(at, copies.begin(), copies.end());
  }
  template <typename Iterator>
    requires requires { typename std::iterator_traits<Iterator>::iterator_category; }
  iterator insert(const_iterator at, Iterator first, Iterator last) {
    const difference_type place = at - cbegin();
    insert_copies(static_cast<size_type>(place), first, last, false);
    return begin() + place;
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    const difference_type place = first - cbegin();
    const difference_type count = last - first;
    if (count != 0) {
      {
        [[maybe_unused]] const auto scope = Memory::scope();
        for (size_type i = static_cast<size_type>(place); i + count < size_; ++i) {
          data_[i] = std::move(data_[i + count]);
        }
      }
      shrink(size_ - static_cast<size_type>(count));
    }
    return begin() + place;
  }

  void swap(vector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  friend void swap(vector& a, vector& b) noexcept { a.swap(b); }

 private:
  template <typename, typename>
  friend class vector;

  void release() noexcept {
    if (data_ == nullptr) return;
    if constexpr (!std::is_trivially_destructible_v<T>) shrink(0);
    Memory::free(data_, capacity_);
  }
  void shrink(size_type count) {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      [[maybe_unused]] const auto scope = Memory::scope();
      for (size_type i = count; i < size_; ++i)
        data_[i].~T();
    }
    size_ = count;
  }
  void grow_for(size_type more) {
    const size_type needed = size_ + more;
    if (needed > capacity_) move_to(needed > 2 * capacity_ ? needed : 2 * capacity_);
  }
  void move_to(size_type count) {
    T* memory = count == 0 ? nullptr : Memory::template allocate<T>(count);
    if (data_ != nullptr) {
      {
        [[maybe_unused]] const auto scope = Memory::scope();
        for (size_type i = 0; i < size_; ++i) {
          new (memory + i) T(std::move(data_[i]));
          data_[i].~T();
        }
      }
      Memory::free(data_, capacity_);
    }
    data_ = memory;
    capacity_ = count;
  }
  template <typename Make>
  void change_size(size_type count, Make make) {
    if (count <= size_) {
      shrink(count);
      return;
    }
    if (count > capacity_) move_to(count);
    [[maybe_unused]] const auto scope = Memory::scope();
    for (; size_ < count; ++size_)
      make(data_ + size_);
  }
  // New elements of simple types are not written.
  void enlarge_raw(size_type count) {
    if constexpr (std::is_trivially_default_constructible_v<T>) {
      if (count > capacity_) move_to(count);
      size_ = count;
    } else {
      resize(count);
    }
  }
  template <typename Iterator>
  void insert_copies(size_type at, Iterator first, Iterator last, bool replace) {
    std::vector<T> values;
    {
      [[maybe_unused]] const auto scope = copy_scope<Memory, Iterator>();
      for (auto from = raw(first), end = raw(last); from != end; ++from) {
        values.push_back(static_cast<T>(*from));
      }
    }
    if (replace) shrink(0);
    if (values.empty()) return;
    const size_type old = size_;
    const size_type count = values.size();
    if (replace) {
      if (count > capacity_) move_to(count);
    } else {
      grow_for(count);
    }
    [[maybe_unused]] const auto scope = Memory::scope();
    for (size_type i = old; i > at; --i) {
      T* to = data_ + (i - 1 + count);
      if (i - 1 + count >= old) {
        new (to) T(std::move(data_[i - 1]));
      } else {
        *to = std::move(data_[i - 1]);
      }
    }
    for (size_type i = 0; i < count; ++i) {
      if (at + i < old) {
        data_[at + i] = values[i];
      } else {
        new (data_ + at + i) T(values[i]);
      }
    }
    size_ = old + count;
  }

  T* data_ = nullptr;
  size_type size_ = 0;
  size_type capacity_ = 0;
};

template <typename T, typename A, typename U, typename B>
bool operator==(const vector<T, A>& a, const vector<U, B>& b) {
  if (a.size() != b.size()) return false;
  [[maybe_unused]] const auto one = A::scope();
  [[maybe_unused]] const auto other = B::scope();
  const T* x = raw_pointer_cast(a.data());
  const U* y = raw_pointer_cast(b.data());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(x[i] == y[i])) return false;
  }
  return true;
}
template <typename T, typename A, typename U, typename Allocator>
bool operator==(const vector<T, A>& a, const std::vector<U, Allocator>& b) {
  return a == vector<U, host_memory>(b);
}

}  // namespace detail

template <typename T>
class device_allocator {
 public:
  using value_type = T;
  using pointer = device_ptr<T>;
  device_ptr<T> allocate(std::size_t count) { return thrust::device_malloc<T>(count); }
  void deallocate(device_ptr<T> pointer, std::size_t) { thrust::device_free(pointer); }
};
template <typename T>
using device_malloc_allocator = device_allocator<T>;
template <typename T>
class universal_allocator {};

#define OPSMITH_THRUST_VECTOR(NAME, MEMORY, ALLOCATOR)                \
  template <typename T, typename Allocator = ALLOCATOR<T>>            \
  class NAME : public detail::vector<T, detail::MEMORY> {             \
    static_assert(std::is_same_v<Allocator, ALLOCATOR<T>>,            \
                  "thrust: " #NAME                                    \
                  " with a custom allocator is not supported on the " \
                  "virtual GPU");                                     \
                                                                      \
   public:                                                            \
    using base = detail::vector<T, detail::MEMORY>;                   \
    using allocator_type = Allocator;                                 \
    using base::base;                                                 \
    using base::operator=;                                            \
    NAME() = default;                                                 \
  };
OPSMITH_THRUST_VECTOR(host_vector, host_memory, std::allocator)
OPSMITH_THRUST_VECTOR(device_vector, device_memory, device_allocator)
OPSMITH_THRUST_VECTOR(universal_vector, managed_memory, universal_allocator)
#undef OPSMITH_THRUST_VECTOR

// Memory by policy.
template <typename T>
auto malloc(const detail::device_policy&, std::size_t count) {
  return thrust::device_malloc<T>(count);
}
template <typename T>
auto malloc(const detail::host_policy&, std::size_t count) {
  return static_cast<T*>(::malloc(count * sizeof(T)));
}
template <typename Pointer>
void free(const detail::device_policy&, Pointer pointer) {
  detail::check(cudaFree(thrust::raw_pointer_cast(pointer)), "thrust: free failed");
}
template <typename T>
void free(const detail::host_policy&, T* pointer) {
  ::free(pointer);
}

}  // namespace thrust
