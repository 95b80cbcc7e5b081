#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "kbsim/hw/traffic/i_endpoint.hpp"

namespace kbsim::hw {

/// The packets of a source of open traffic, some drawn in advance. Packets of one time are ordered as the
/// fabric orders one node's messages: by target, those to one target as drawn.
class StepSource {
 public:
  StepSource(std::size_t source, IEndpoint::Stream stream) : source_{source}, stream_{std::move(stream)} {
    ahead_ = stream_();
    refill();
  }

  [[nodiscard]] std::size_t source() const { return source_; }
  /// The next time to send; kForever if there is none.
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
  std::optional<IEndpoint::Departure> ahead_;  // follows them
  IEndpoint::Stream stream_;
};

}  // namespace kbsim::hw
