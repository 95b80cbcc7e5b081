#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "kbsim/hw/traffic/i_endpoint.hpp"

namespace kbsim::hw {

/// What a source of open traffic sends, drawn some packets ahead. Those of one time go as the fabric takes
/// what one node says to many: by target, those to one as they were drawn.
class StrideSource {
 public:
  StrideSource(std::size_t source, IEndpoint::Stream stream) : source_{source}, stream_{std::move(stream)} {
    ahead_ = stream_();
    refill();
  }

  [[nodiscard]] std::size_t source() const { return source_; }
  /// kForever: it sends nothing more.
  [[nodiscard]] Time next() const { return next_; }
  [[nodiscard]] const IEndpoint::Departure& front() const { return drawn_[first_]; }
  void pop() {
    if (++first_ == drawn_.size()) return refill();
    next_ = drawn_[first_].at;
  }

 private:
  void refill();

  Time next_ = kForever;
  std::size_t source_;
  std::size_t first_ = 0;
  std::vector<IEndpoint::Departure> drawn_;
  std::optional<IEndpoint::Departure> ahead_;  // comes behind them
  IEndpoint::Stream stream_;
};

}  // namespace kbsim::hw
