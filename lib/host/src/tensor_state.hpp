#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/host/tensor.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/sim/event.hpp"

namespace kbsim::host {

/// A tensor's place in its package's memories, given back with the last handle.
struct Tensor::State {
  Session& session;
  int rank;
  int sip;
  std::string name;
  Shape shape;
  DType dtype;
  Event written{session.sim(), "the writing of " + name};
  int updates = 0;
  std::optional<std::uint64_t> va = {};
  std::vector<Shard> shards = {};
  bool mapped = false;  // or about to be
  bool shared = false;
  bool resident = false;

  /// The MMUs' view of it, as one order to the PEs of its package.
  [[nodiscard]] std::shared_ptr<const hw::ControlJob> map(bool unmap) const;
  ~State();
};

}  // namespace kbsim::host
