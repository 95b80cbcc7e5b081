#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kbsim/hw/fabric/i_arbiter.hpp"

namespace kbsim::hw {

enum class Matching { islip, separable };

/// Matches inputs and outputs, each with one of the other side, in at most `rounds` rounds. `islip` (McKeown
/// 1999): each free output grants a request, each free input accepts one of its grants. `separable`: each
/// free input picks one of its requests, each output grants one of those. A match of the first round ends the
/// turns of both.
class Allocator {
 public:
  struct Request {
    std::uint32_t input;
    std::uint32_t output;
    std::uint32_t user;  // the caller's name for it
    const Packet* packet;
  };

  Allocator(std::uint32_t inputs, std::uint32_t outputs, Matching matching, int rounds,
            const ArbiterModel& arbiter);

  void request(const Request& request) { requests_.push_back(request); }
  [[nodiscard]] bool empty() const { return requests_.empty(); }
  /// The requests that are served, until the next clear(), which drops all requests.
  const std::vector<Request>& match();
  void clear();

 private:
  using Best = std::vector<const Request*>;
  using Arbiters = std::vector<std::unique_ptr<IArbiter>>;
  [[nodiscard]] IArbiter& arbiter(Arbiters& of, std::uint32_t one, const Arbiters& among) const;
  void choose_for_outputs(const Best* of_inputs);
  void choose_for_inputs(const Best* of_outputs);
  bool accept(bool first);
  [[nodiscard]] bool is_free(const Request& request) const;

  Matching matching_;
  int rounds_;
  const ArbiterModel* model_;
  // Each is made on first use: of very many channels few are ever used.
  Arbiters of_inputs_;   // among outputs
  Arbiters of_outputs_;  // among inputs
  std::vector<Request> requests_;
  std::vector<Request> matches_;
  std::vector<bool> input_taken_;
  std::vector<bool> output_taken_;
  Best best_of_input_;
  Best best_of_output_;
};

}  // namespace kbsim::hw
