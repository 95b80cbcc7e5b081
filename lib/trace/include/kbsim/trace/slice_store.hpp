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

/// Slices as a run makes them, and in order afterwards. Holds `in_memory` of them; all others are in a
/// temporary file in $TMPDIR or /tmp, which goes with the process. If that can't be written, slices are lost,
/// and for_each() throws UsageError that says why: the run goes on.
class SliceStore {
 public:
  explicit SliceStore(std::size_t in_memory = std::size_t{1} << 17U) : in_memory_{in_memory} {}

  void add(const Slice& slice);
  /// Of all that were added and not lost.
  [[nodiscard]] std::uint64_t size() const { return written_ + buffer_.size(); }

  /// In ascending order. It may be asked for several times, and more may be added afterwards.
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
  bool is_sorted_ = false;  // those
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> ends_;  // of the file's runs
  std::string lost_;                 // why
};

}  // namespace kbsim::trace
