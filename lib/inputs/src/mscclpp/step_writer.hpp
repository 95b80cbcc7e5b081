#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "mscclpp_chunks.hpp"
#include "mscclpp_draft.hpp"
#include "program.hpp"

namespace kbsim::inputs::mscclpp {

/// Access of a thread block to another rank's memory, through the thread block there that represents it.
struct Link {
  int sender = 0;  // of this rank: the thread block itself, or a helper
  int memory = 0;  // of the other rank
  int peer = 0;
  bool open = false;  // the latest put may not have arrived
};

/// Writes the steps of operations, one after the other: of their thread blocks, and of those that represent
/// other ranks' memories.
class StepWriter {
 public:
  StepWriter(const Program& program, PlanDraft& draft);

  void begin(int rank, int block, const Op& op);
  /// Further steps of senders come after the current end of the thread block.
  void mark() { before_ = draft_.last(rank_, main_); }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int block() const { return main_; }
  [[nodiscard]] const Op& op() const { return *op_; }
  [[nodiscard]] int channels() const { return channels_; }

  StepRef add(int rank, int block, PlanStep step);
  StepRef add_main(PlanOp op = PlanOp::nop, const Chunks& src = {}, const Chunks& dst = {});
  /// A step of a link's sender, after all steps of this thread block before the operation.
  StepRef add_sender(const Link& link, const PlanStep& step);
  StepRef send_token(const Link& link);
  Link& link_to(int peer);
  /// Asks for chunks; the sender's next step receives them.
  Link& request(const Chunks& src);
  /// The thread block continues when these steps of the rank have ended.
  void join(const std::vector<StepRef>& steps);
  /// All puts have arrived before other thread blocks of the rank are notified.
  void fence();

 private:
  using Key = std::tuple<int, int, int>;  // rank, thread block, peer

  void connect(Link& link);

  PlanDraft& draft_;
  std::map<Key, Link> links_;
  std::vector<int> next_id_;  // of thread blocks that the file doesn't have, by rank
  int channels_ = 0;
  int rank_ = 0;  // its operation is being translated
  int main_ = 0;  // its thread block
  const Op* op_ = nullptr;
  StepRef before_ = {};  // the thread block's last step before it
};

}  // namespace kbsim::inputs::mscclpp
