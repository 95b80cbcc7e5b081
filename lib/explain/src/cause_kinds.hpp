#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/explain/keys.hpp"

namespace kbsim::explain {

/// Moments with equal reason, place, amount and length are of one kind: they follow from keys in the same
/// way. Kinds whose lengths follow from keys in the same way, wherever they are, have one cost. Cost 0 has no
/// keys.
class CauseKinds {
 public:
  struct Kind {
    Segment segment;
    std::uint32_t cost = 0;
  };

  explicit CauseKinds(const hw::Machine& machine);

  /// The number of a moment's kind, from 1 on.
  [[nodiscard]] std::uint32_t of(const Moment& moment, Time parent);
  [[nodiscard]] const Kind& operator[](std::uint32_t kind) const { return kinds_[kind]; }
  [[nodiscard]] std::size_t size() const { return kinds_.size(); }
  [[nodiscard]] const std::vector<Term>& terms(std::uint32_t cost) const { return costs_[cost]; }
  [[nodiscard]] std::size_t costs() const { return costs_.size(); }
  /// Costs that follow from a key.
  [[nodiscard]] const std::vector<std::uint32_t>& costs_of(const std::string& key) const {
    return costs_of_.at(key);
  }

  /// How much longer each cost is with another value of a key.
  [[nodiscard]] std::vector<Time> changes(const std::string& key, double value) const;
  /// How many ns longer for one more of the key's unit, at that value.
  [[nodiscard]] std::vector<double> slopes(const std::string& key, double value) const;

 private:
  struct Alike {
    std::int64_t amount = 0;
    Time length{};
    std::uint32_t place = 0;
    std::uint16_t reason = 0;
    friend bool operator==(const Alike&, const Alike&) = default;
    friend std::size_t hash_value(const Alike& a) {
      constexpr std::uint64_t kMix = 0x9e37'79b9'7f4a'7c15;
      std::uint64_t h = static_cast<std::uint64_t>(a.amount) * kMix;
      h = (h ^ static_cast<std::uint64_t>(a.length.count())) * kMix;
      h = (h ^ ((std::uint64_t{a.place} << 16U) + a.reason)) * kMix;
      return h ^ (h >> 32U);
    }
  };
  [[nodiscard]] std::uint32_t cost_of(std::vector<Term> terms);

  const hw::Machine& machine_;
  std::vector<Kind> kinds_;  // the first has no keys
  boost::unordered_flat_map<Alike, std::uint32_t> numbers_;
  std::vector<std::vector<Term>> costs_;
  std::map<std::string, std::uint32_t> cost_numbers_;
  std::map<std::string, std::vector<std::uint32_t>> costs_of_;  // by key
};

}  // namespace kbsim::explain
