#pragma once

#include <cstdint>
#include <utility>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/moments.hpp"

namespace kbsim {

/// A counted handle of a moment, or of none. It must not outlive the moments.
class Cause {
 public:
  Cause() = default;
  /// Takes over a reference to the moment.
  Cause(Moments& of, std::uint32_t id) : of_{&of}, id_{id} {}
  Cause(const Cause& other) : of_{other.of_}, id_{other.id_} {
    if (id_ != 0) of_->retain(id_);
  }
  Cause(Cause&& other) noexcept : of_{other.of_}, id_{std::exchange(other.id_, 0)} {}
  Cause& operator=(const Cause& other) {
    Cause{other}.swap(*this);
    return *this;
  }
  Cause& operator=(Cause&& other) noexcept {
    if (this == &other) [[unlikely]]
      return *this;
    if (id_ != 0) of_->release(id_);
    of_ = other.of_;
    id_ = std::exchange(other.id_, 0);
    return *this;
  }
  ~Cause() {
    if (id_ != 0) [[unlikely]]
      of_->release(id_);
  }
  void swap(Cause& other) noexcept {
    std::swap(of_, other.of_);
    std::swap(id_, other.id_);
  }

  [[nodiscard]] explicit operator bool() const { return id_ != 0; }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] const Moment& moment() const { return std::as_const(*of_)[id_]; }
  [[nodiscard]] Time at() const { return moment().at; }

  /// Hands over its reference to the moment, whose number it returns, and is none.
  [[nodiscard]] std::uint32_t hand_over() { return std::exchange(id_, 0); }
  /// Takes over a reference to the moment. It must be none until then.
  void take_over(Moments& of, std::uint32_t id) {
    of_ = &of;
    id_ = id;
  }

 private:
  Moments* of_ = nullptr;
  std::uint32_t id_ = 0;
};

/// The later of two; the first if they are of one time, or the second is none.
[[nodiscard]] inline const Cause& later(const Cause& a, const Cause& b) {
  return !b || (a && a.at() >= b.at()) ? a : b;
}

}  // namespace kbsim
