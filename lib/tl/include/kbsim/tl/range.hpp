#pragma once

#include "kbsim/base/lasting_name.hpp"
#include "kbsim/tl/backend.hpp"

namespace kbsim {

/// Names the kernel's work while this object lives, from the issue clock's reading at its beginning to that
/// at its end. Takes no time.
class [[nodiscard("a range lasts as long as this object: keep it")]] RangeScope {
 public:
  RangeScope(PeBackend& pe, LastingName name) : pe_{pe}, name_{name}, begin_{pe.clock()} {}
  RangeScope(const RangeScope&) = delete;
  RangeScope& operator=(const RangeScope&) = delete;
  ~RangeScope() { pe_.range(name_, begin_, pe_.clock()); }

 private:
  PeBackend& pe_;
  LastingName name_;
  Time begin_;
};

}  // namespace kbsim
