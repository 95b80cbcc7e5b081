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

/// What programs have at which virtual addresses of a package, for whoever says of an address that it isn't
/// mapped or is waited at. What is dropped is known until others take its place. Any thread may call: in a
/// divided machine what a program adds or drops within a window of the question may be known or not.
class AddressNames {
 public:
  /// `name` as in "it is in NAME". `layout` is that of a tensor which isn't row-major in virtual addresses.
  void add(int sip, std::uint64_t va, Bytes bytes, std::string name,
           std::shared_ptr<const TensorLayout> layout = nullptr);
  void drop(int sip, std::uint64_t va);
  /// "NAME", or "NAME, which was freed": what the address is in; "" if it is in none.
  [[nodiscard]] std::string at(int sip, std::uint64_t va) const;
  /// The layout of the tensor that the address is in; null if that is row-major, freed or unknown.
  [[nodiscard]] std::shared_ptr<const TensorLayout> layout(int sip, std::uint64_t va) const;
  /// It is in one that was freed.
  [[nodiscard]] bool freed(int sip, std::uint64_t va) const;
  /// "; it is 64 B behind the end of NAME", or in it, before it, or in it before it was freed; "" if nothing
  /// is within 16 MiB.
  [[nodiscard]] std::string near(int sip, std::uint64_t va) const;

 private:
  struct Range {
    Bytes bytes;
    std::string name;
    std::shared_ptr<const TensorLayout> layout = nullptr;
    bool dropped = false;
  };
  using Ranges = std::map<std::uint64_t, Range>;  // none overlaps another
  static std::string told(const Range& range);
  static const Range* range_of(const Ranges& ranges, std::uint64_t va);
  static std::string in_one(const Ranges& ranges, std::uint64_t va);

  std::atomic<bool> any_layout_ = false;  // most programs have none, and ask often
  mutable std::mutex mutex_;
  std::map<int, Ranges> packages_;
};

}  // namespace kbsim::hw
