#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kbsim {

/// Element types of tensors and tiles. f8e4m3 and f8e5m2 are for storage only.
enum class DType : std::uint8_t { f16, bf16, f32, f64, i8, i16, i32, i64, u8, boolean, f8e4m3, f8e5m2 };

inline constexpr DType f16 = DType::f16;
inline constexpr DType bf16 = DType::bf16;
inline constexpr DType f32 = DType::f32;
inline constexpr DType f64 = DType::f64;
inline constexpr DType i8 = DType::i8;
inline constexpr DType i16 = DType::i16;
inline constexpr DType i32 = DType::i32;
inline constexpr DType i64 = DType::i64;
inline constexpr DType u8 = DType::u8;

struct DTypeInfo {
  std::string_view name;
  int itemsize;  // bytes
  bool floating;
  bool is_signed;
};

inline constexpr std::array<DTypeInfo, 12> kDTypes{{{"f16", 2, true, true},
                                                    {"bf16", 2, true, true},
                                                    {"f32", 4, true, true},
                                                    {"f64", 8, true, true},
                                                    {"i8", 1, false, true},
                                                    {"i16", 2, false, true},
                                                    {"i32", 4, false, true},
                                                    {"i64", 8, false, true},
                                                    {"u8", 1, false, false},
                                                    {"bool", 1, false, false},
                                                    {"f8e4m3", 1, true, true},
                                                    {"f8e5m2", 1, true, true}}};

[[nodiscard]] constexpr const DTypeInfo& info(DType t) { return kDTypes[static_cast<std::size_t>(t)]; }
[[nodiscard]] constexpr int itemsize(DType t) { return info(t).itemsize; }
[[nodiscard]] constexpr std::string_view to_string(DType t) { return info(t).name; }
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);

}  // namespace kbsim
