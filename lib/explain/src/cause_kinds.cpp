#include "cause_kinds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "segments.hpp"

namespace kbsim::explain {
namespace {

// All values that a change follows from, as bytes.
void append_to(std::string& name, const Term& term) {
  const std::array<std::int64_t, 7> numbers{std::bit_cast<std::int64_t>(term.value),
                                            std::bit_cast<std::int64_t>(term.count),
                                            std::bit_cast<std::int64_t>(term.share),
                                            term.bytes,
                                            term.times,
                                            static_cast<std::int64_t>(term.rounding),
                                            term.floor.count()};
  name.append(term.key).push_back('\0');
  name.append(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers));
}

}  // namespace

CauseKinds::CauseKinds(const hw::Machine& machine) : machine_{machine}, kinds_(1), costs_(1) {}

std::uint32_t CauseKinds::of(const Moment& moment, Time parent) {
  const auto [known, fresh] = numbers_.try_emplace(Alike{.amount = moment.why.amount,
                                                         .length = moment.at - parent,
                                                         .place = moment.why.place,
                                                         .reason = moment.why.reason},
                                                   static_cast<std::uint32_t>(kinds_.size()));
  if (!fresh) return known->second;
  Kind kind;
  std::vector<Term> terms;
  for (const Segment& segment : segments_of(moment, parent, machine_)) {
    kind.segment = segment;
    std::ranges::move(terms_of(segment, machine_), std::back_inserter(terms));
  }
  kind.cost = cost_of(std::move(terms));
  kinds_.push_back(kind);
  return static_cast<std::uint32_t>(kinds_.size() - 1);
}

std::uint32_t CauseKinds::cost_of(std::vector<Term> terms) {
  if (terms.empty()) return 0;
  std::string name;
  for (const Term& term : terms) append_to(name, term);
  const auto [known, fresh] = cost_numbers_.try_emplace(name, static_cast<std::uint32_t>(costs_.size()));
  if (!fresh) return known->second;
  for (const Term& term : terms) {
    std::vector<std::uint32_t>& of_key = costs_of_[term.key];
    if (of_key.empty() || of_key.back() != known->second) of_key.push_back(known->second);
  }
  costs_.push_back(std::move(terms));
  return known->second;
}

std::vector<Time> CauseKinds::changes(const std::string& key, double value) const {
  std::vector<Time> all(costs_.size());
  for (const std::uint32_t cost : costs_of_.at(key)) {
    for (const Term& term : costs_[cost]) {
      if (term.key == key) all[cost] += term.change(value);
    }
  }
  return all;
}

std::vector<double> CauseKinds::slopes(const std::string& key, double value) const {
  std::vector<double> all(costs_.size());
  for (const std::uint32_t cost : costs_of_.at(key)) {
    for (Term term : costs_[cost]) {
      if (term.key != key) continue;
      term.value = value;
      all[cost] += term.slope_ns();
    }
  }
  return all;
}

}  // namespace kbsim::explain
