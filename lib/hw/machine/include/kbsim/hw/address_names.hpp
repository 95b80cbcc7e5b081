#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/tensor_layout.hpp"

namespace kbsim::hw {

/// Names of the programs' objects by virtual address and package, for errors about an address. A dropped
/// object is known until another takes its place. Any thread may call. In a divided machine, an object that
/// is added or dropped within the window of the query may or may not be known.
class AddressNames {
 public:
  /// `name` as in "it is in NAME". `layout` is that of a tensor which isn't row-major in virtual addresses.
  void add(int sip, std::uint64_t va, Bytes bytes, std::string name,
           std::shared_ptr<const TensorLayout> layout = nullptr);
  void drop(int sip, std::uint64_t va);
  /// "NAME", or "NAME, which was freed": the object at the address; "" if there is none.
  [[nodiscard]] std::string at(int sip, std::uint64_t va) const;
  /// The layout of the tensor that the address is in; null if that is row-major, freed or unknown.
  [[nodiscard]] std::shared_ptr<const TensorLayout> layout(int sip, std::uint64_t va) const;
  /// Whether the address is in a freed object.
  [[nodiscard]] bool freed(int sip, std::uint64_t va) const;
  /// "; it is 64 B behind the end of NAME", or in it, before it, or in it before it was freed. "" if there is
  /// no object within 16 MiB.
  [[nodiscard]] std::string near(int sip, std::uint64_t va) const;

 private:
  struct Range {
    Bytes bytes;
    std::string name;
    std::shared_ptr<const TensorLayout> layout = nullptr;
    bool dropped = false;
  };
  using Ranges = std::map<std::uint64_t, Range>;  // none overlaps another
  static std::string described(const Range& range);
  static const Range* range_of(const Ranges& ranges, std::uint64_t va);
  static std::string in_one(const Ranges& ranges, std::uint64_t va);

  std::atomic<bool> any_layout_ = false;  // most programs have none, and ask often
  mutable std::mutex mutex_;
  std::map<int, Ranges> packages_;
};

}  // namespace kbsim::hw
