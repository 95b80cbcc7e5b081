#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/hw/control/order_record.hpp"
#include "kbsim/hw/fabric/i_repeatable.hpp"
#include "kbsim/sim/causes.hpp"

namespace kbsim::hw {

/// Records of the host's writes and reads of memory. Writes of one rank to one package that leave at one time
/// are one record; so are such reads.
class AccessRecords {
 public:
  /// A write or a read leaves for a memory; returns the number of its record.
  [[nodiscard]] std::size_t sent(OrderPhase phase, int rank, const PeCoord& memory, Time now);
  /// One of the record's writes or reads is answered. `why`: the cause, if causes are kept.
  void answered(std::size_t record, Time now, const Cause& why);
  /// Records whose writes and reads are all answered.
  [[nodiscard]] std::vector<OrderRecord> finished() const;
  void visit(RepeatVisitor& visitor);

 private:
  struct Accesses {
    OrderRecord record;
    std::set<PeCoord> memories;
    int open = 0;
  };

  std::vector<Accesses> all_;  // in the order of sending
};

}  // namespace kbsim::hw
