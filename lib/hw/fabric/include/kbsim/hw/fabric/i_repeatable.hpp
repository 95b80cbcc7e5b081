#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// All that a machine states and counts at one instant at which nothing is under way in it.
struct BorderState {
  Time at{};
  std::vector<std::int64_t> state;   // that later work depends on, times from `at` on
  std::vector<std::int64_t> fixed;   // likewise, and repeated work can't change it
  std::vector<std::int64_t> counts;  // integers that grow with work
  std::vector<std::int64_t> items;   // likewise, of a list that grows; 0 before an item is there
  std::int64_t addresses = 1;        // accesses whose addresses differ by a multiple of it take equal times
  bool at_rest = true;               // no part has work under way
  std::string refused;               // a part's reason why its work can't be repeated; empty: none
};

/// Visits what a part states and counts: reads it into a border, or repeats the work between two borders.
class RepeatVisitor {
 public:
  explicit RepeatVisitor(BorderState& into) : into_{&into}, now_{into.at} {}
  /// The work from `begin` to `end` again, ended now.
  RepeatVisitor(const BorderState& begin, const BorderState& end, Time now)
      : begin_{&begin}, end_{&end}, now_{now} {}

  /// Later work depends on it.
  template <class Integer>
  void state(Integer& value) {
    if (into_ != nullptr)
      into_->state.push_back(integer(value));
    else
      value = static_cast<Integer>(end_->state[states_++]);
  }
  /// A unit is busy until then; all times until now are alike.
  void busy_until(Time& at) {
    if (into_ != nullptr) return into_->state.push_back(std::max(at - now_, Time{0}).count());
    const Time left{end_->state[states_++]};
    if (left > Time{0}) at = now_ + left;
  }
  /// Later work depends on it, and work that changes it isn't repeated.
  template <class Integer>
  void fixed(const Integer& value) {
    if (into_ != nullptr) into_->fixed.push_back(integer(value));
  }
  /// Grows with work; nothing depends on it.
  template <class Integer>
  void count(Integer& value) {
    if (into_ != nullptr)
      into_->counts.push_back(integer(value));
    else
      value = static_cast<Integer>(integer(value) + next_count());
  }
  /// The same for the next item of a list; visited in the order in which items came.
  template <class Integer>
  void count_item(Integer& value) {
    if (into_ != nullptr) return into_->items.push_back(integer(value));
    const auto at = [this](const BorderState& border) {
      return items_ < border.items.size() ? border.items[items_] : 0;
    };
    value = static_cast<Integer>(integer(value) + at(*end_) - at(*begin_));
    ++items_;
  }
  /// A list that work appends to. Repeated work appends copies, each shifted by a time: shift(record, by).
  template <class Record, class Shift>
  void records(std::vector<Record>& all, Shift shift) {
    if (into_ != nullptr) return into_->counts.push_back(static_cast<std::int64_t>(all.size()));
    const auto first = static_cast<std::size_t>(begin_->counts[counts_]);
    const std::size_t last = first + static_cast<std::size_t>(next_count());
    for (std::size_t i = first; i < last; ++i) {
      Record copy = all[i];
      shift(copy, now_ - end_->at);
      all.push_back(std::move(copy));
    }
  }
  /// The part's times depend on addresses modulo this.
  void addresses(std::int64_t period) {
    if (into_ != nullptr) into_->addresses = std::lcm(into_->addresses, period);
  }
  /// It has no work under way.
  void rests(bool at_rest) {
    if (into_ != nullptr) into_->at_rest = into_->at_rest && at_rest;
  }
  /// Its work can't be repeated.
  void refuse(std::string_view why) {
    if (into_ != nullptr && into_->refused.empty()) into_->refused = why;
  }

 private:
  template <class Integer>
  [[nodiscard]] static std::int64_t integer(const Integer& value) {
    if constexpr (requires { value.count(); })
      return value.count();
    else
      return static_cast<std::int64_t>(value);
  }
  [[nodiscard]] std::int64_t next_count() {
    const std::int64_t grown = end_->counts[counts_] - begin_->counts[counts_];
    ++counts_;
    return grown;
  }

  BorderState* into_ = nullptr;  // reads
  const BorderState* begin_ = nullptr;
  const BorderState* end_ = nullptr;
  Time now_;
  std::size_t states_ = 0;
  std::size_t counts_ = 0;
  std::size_t items_ = 0;
};

/// A part of a machine whose work repeats: equal orders, given at equal states while nothing is under way,
/// take equal times. A component that offers it states all that its later work depends on; one that doesn't
/// turns off the skipping of equal work on its machine.
class IRepeatable {
 public:
  virtual ~IRepeatable() = default;
  /// Visits always the same in the same order.
  virtual void visit(RepeatVisitor& visitor) = 0;
};

}  // namespace kbsim::hw
