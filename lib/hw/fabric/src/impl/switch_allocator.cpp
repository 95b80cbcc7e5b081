#include "switch_allocator.hpp"

namespace kbsim::hw {

Allocator::Allocator(std::uint32_t inputs, std::uint32_t outputs, Matching matching, int rounds,
                     const ArbiterModel& arbiter)
    : matching_{matching},
      rounds_{rounds},
      model_{&arbiter},
      of_inputs_(inputs),
      of_outputs_(outputs),
      input_taken_(inputs),
      output_taken_(outputs),
      best_of_input_(inputs),
      best_of_output_(outputs) {}

IArbiter& Allocator::arbiter(Arbiters& of, std::uint32_t one, const Arbiters& among) const {
  if (of[one] == nullptr) [[unlikely]]
    of[one] = model_->make(static_cast<std::uint32_t>(among.size()), 1);
  return *of[one];
}

void Allocator::clear() {
  for (const Request& match : matches_) {
    input_taken_[match.input] = false;
    output_taken_[match.output] = false;
  }
  matches_.clear();
  requests_.clear();
}

const std::vector<Allocator::Request>& Allocator::match() {
  for (int round = 0; round < rounds_ && !requests_.empty(); ++round) {
    const bool islip = matching_ == Matching::islip;
    if (islip) {
      choose_for_outputs(nullptr);
      choose_for_inputs(&best_of_output_);
    } else {
      choose_for_inputs(nullptr);
      choose_for_outputs(&best_of_input_);
    }
    if (!accept(round == 0)) break;
  }
  return matches_;
}

bool Allocator::is_free(const Request& request) const {
  return !input_taken_[request.input] && !output_taken_[request.output];
}

// Outputs choose among all requests, or among those that inputs have chosen.
void Allocator::choose_for_outputs(const Best* of_inputs) {
  const auto as_input = [](const Request& r) { return SwitchRequest{.port = r.input, .packet = r.packet}; };
  for (const Request& request : requests_) best_of_output_[request.output] = nullptr;
  for (const Request& request : requests_) {
    if (!is_free(request) || (of_inputs != nullptr && (*of_inputs)[request.input] != &request)) continue;
    const Request*& best = best_of_output_[request.output];
    if (best == nullptr ||
        arbiter(of_outputs_, request.output, of_inputs_).before(as_input(request), as_input(*best)))
      best = &request;
  }
}

void Allocator::choose_for_inputs(const Best* of_outputs) {
  const auto as_output = [](const Request& r) { return SwitchRequest{.port = r.output, .packet = r.packet}; };
  for (const Request& request : requests_) best_of_input_[request.input] = nullptr;
  for (const Request& request : requests_) {
    if (!is_free(request) || (of_outputs != nullptr && (*of_outputs)[request.output] != &request)) continue;
    const Request*& best = best_of_input_[request.input];
    if (best == nullptr ||
        arbiter(of_inputs_, request.input, of_outputs_).before(as_output(request), as_output(*best)))
      best = &request;
  }
}

// Accepts the requests that both sides have chosen.
bool Allocator::accept(bool first) {
  const std::size_t before = matches_.size();
  for (const Request& request : requests_) {
    if (best_of_input_[request.input] != &request || best_of_output_[request.output] != &request) continue;
    input_taken_[request.input] = output_taken_[request.output] = true;
    matches_.push_back(request);
    if (!first) continue;
    arbiter(of_inputs_, request.input, of_outputs_)
        .served({.port = request.output, .packet = request.packet});
    arbiter(of_outputs_, request.output, of_inputs_)
        .served({.port = request.input, .packet = request.packet});
  }
  return matches_.size() > before;
}

}  // namespace kbsim::hw
