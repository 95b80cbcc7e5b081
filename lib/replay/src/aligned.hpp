#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "kbsim/base/dtype.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {

/// Bytes aligned for the items of a dtype: those given, or a copy of them where these aren't.
class Aligned {
 public:
  Aligned(std::span<const std::byte> bytes, DType dtype) : bytes_{bytes} {
    const auto item = static_cast<std::uintptr_t>(itemsize(dtype));
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % item == 0) return;
    copy_.assign(bytes.begin(), bytes.end());
    bytes_ = copy_;
  }
  explicit Aligned(Buffer bytes) : copy_{std::move(bytes)}, bytes_{copy_} {}
  Aligned(Aligned&&) noexcept = default;  // a moved vector keeps its items where they are
  Aligned& operator=(Aligned&&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  Buffer copy_;
  std::span<const std::byte> bytes_;
};

}  // namespace kbsim::replay
