#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kbsim/hw/fabric/i_arbiter.hpp"

namespace kbsim::hw {

enum class Matching { islip, separable };

/// Matches inputs and outputs, each with one of the other side, in at most so many rounds. `islip` (McKeown
/// 1999): each free output grants a request, each free input accepts one of its grants. `separable`: each
/// free input picks one of its requests, each output grants one of those. A match of the first round ends
/// the turns of both.
class Allocator {
 public:
  struct Request {
    std::uint32_t input;
    std::uint32_t output;
    std::uint32_t user;  // what the caller knows it by
    const Packet* packet;
  };

  Allocator(std::uint32_t inputs, std::uint32_t outputs, Matching matching, int rounds,
            const ArbiterModel& arbiter);

  void request(const Request& request) { requests_.push_back(request); }
  [[nodiscard]] bool empty() const { return requests_.empty(); }
  /// Those of the requests that are served; all are forgotten with the next clear().
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
  // Each is made when it is asked first: of very many channels few are ever in use.
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
