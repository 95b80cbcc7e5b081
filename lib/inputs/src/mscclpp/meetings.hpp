#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "mscclpp_draft.hpp"
#include "program.hpp"

namespace kbsim::inputs::mscclpp {

/// Waits of thread blocks within a rank. The k-th wait for a signal or a semaphore is for its k-th giving. A
/// packet waits for the step that writes it, a barrier for all its thread blocks. All waits are known once
/// the whole program has been read; then the steps are ordered.
class Meetings {
 public:
  Meetings(const Program& program, PlanDraft& draft);

  /// A signal's channel as its receiver has it: (type, rank, peer, number); or a semaphore, of type none,
  /// whose peer is the rank itself.
  using Key = std::tuple<ChannelType, int, int, int>;

  void give(const Key& key, StepRef step, std::pair<int, int> giver, const Op& op);
  void take(const Key& key, StepRef step, const Op& op);
  void write_packets(int rank, int first, int count, StepRef step, const Op& op);
  void read_packets(int rank, int first, int count, StepRef step, const Op& op);
  void come(int rank, StepRef arrival, StepRef leaving, const Op& op);

  /// InputError, at an operation, if it waits for something that never happens.
  void settle();

 private:
  struct Wait {
    StepRef step;
    const Op* op = nullptr;
  };
  struct Token {
    std::vector<StepRef> given = {};
    std::vector<Wait> taken = {};
    std::pair<int, int> giver = {-1, -1};
    int taker = -1;
  };
  struct Reading {
    int rank = 0;
    int first = 0;
    int count = 0;
    Wait wait = {};
  };
  struct Coming {
    StepRef arrival;
    StepRef leaving;
    const Op* op = nullptr;
  };
  using Barrier = std::map<int, std::vector<Coming>>;  // by thread block

  void settle_token(const Key& key, const Token& token);
  void settle_reading(const Reading& reading);
  void settle_barrier(int rank, const Barrier& barrier);

  const Program& program_;
  PlanDraft& draft_;
  std::map<Key, Token> tokens_;
  std::vector<std::vector<StepRef>> packets_;  // the steps that write them, by rank and chunk of its scratch
  std::vector<Reading> readings_;
  std::map<std::pair<int, int>, Barrier> barriers_;  // by rank and number
};

}  // namespace kbsim::inputs::mscclpp
