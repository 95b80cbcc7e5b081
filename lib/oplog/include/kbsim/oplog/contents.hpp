#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kbsim::oplog {

using KeptBytes = std::shared_ptr<const std::vector<std::byte>>;

/// Bytes that are made on request: never changed, and the same each time, on any thread.
class IContents {
 public:
  virtual ~IContents() = default;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Fills `to` with the bytes from `first` on.
  virtual void read(std::int64_t first, std::span<std::byte> to) const = 0;
  /// All of them, if they lie in memory anyway; else null.
  [[nodiscard]] virtual KeptBytes kept() const { return nullptr; }
};

/// Contents that an operation was given, if any: bytes that are kept, or made whenever they are read.
class Contents {
 public:
  Contents() = default;
  Contents(std::nullptr_t) {}
  Contents(KeptBytes kept);
  Contents(std::shared_ptr<const IContents> made) : bytes_{std::move(made)} {}

  [[nodiscard]] explicit operator bool() const { return bytes_ != nullptr; }
  [[nodiscard]] std::int64_t size() const { return bytes_->size(); }
  void read(std::int64_t first, std::span<std::byte> to) const { bytes_->read(first, to); }
  [[nodiscard]] KeptBytes kept() const { return bytes_->kept(); }
  /// The bytes kept, or made now.
  [[nodiscard]] KeptBytes all() const;

 private:
  std::shared_ptr<const IContents> bytes_;
};

}  // namespace kbsim::oplog
