#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kbsim {

/// Evenly spaced samples of the added things, at most `most` (an even number): all, then every second, every
/// fourth and so on.
template <class T>
class Thinned {
 public:
  explicit Thinned(std::size_t most) : most_{most} {}

  void add(T what) {
    const bool due = seen_++ % step_ == 0;
    if (!due) return;
    if (kept_.size() == most_) keep_every_second();
    kept_.push_back(std::move(what));
  }
  [[nodiscard]] const std::vector<T>& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t step() const { return step_; }

 private:
  void keep_every_second() {
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
    kept_.resize(most_ / 2);
    step_ *= 2;
  }

  std::size_t most_;
  std::uint64_t step_ = 1;
  std::uint64_t seen_ = 0;
  std::vector<T> kept_;
};

}  // namespace kbsim
