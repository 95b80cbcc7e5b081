#pragma once

#include <memory>
#include <mutex>

#include "kbsim/oplog/op.hpp"

#include "values.hpp"

namespace kbsim::replay {

/// Contents of literals that aren't kept: made when they are read, once for all that hold them at one time.
/// Several threads may ask.
class Literals {
 public:
  explicit Literals(Ledger& ledger) : ledger_{ledger} {}

  [[nodiscard]] Value of(const oplog::Op& literal);

 private:
  Ledger& ledger_;
  std::mutex mutex_;  // guards what follows
  ByValue<std::weak_ptr<const Buffer>> made_;
};

}  // namespace kbsim::replay
