#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/trace/slice.hpp"

namespace kbsim::trace {

/// Stores slices in any order and returns them sorted. Holds `in_memory` of them; all others are in a
/// temporary file in $TMPDIR or /tmp, which ends with the process. If that can't be written, slices are lost
/// and the run continues; for_each() then throws UsageError with the reason.
class SliceStore {
 public:
  explicit SliceStore(std::size_t in_memory = std::size_t{1} << 17U) : in_memory_{in_memory} {}

  void add(const Slice& slice);
  /// The number of slices added and not lost.
  [[nodiscard]] std::uint64_t size() const { return written_ + buffer_.size(); }

  /// Visits slices in ascending order. It may be called several times, and more slices may be added
  /// afterwards.
  void for_each(const std::function<void(const Slice&)>& visit);

 private:
  struct Run;  // consecutive slices of the file, in order
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  void spill();
  [[nodiscard]] bool write_out();
  void merge(const std::function<void(const Slice&)>& visit);

  std::size_t in_memory_;
  std::vector<Slice> buffer_;
  bool is_sorted_ = false;  // the buffer
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> ends_;  // of the file's runs
  std::string lost_;                 // the reason
};

}  // namespace kbsim::trace
