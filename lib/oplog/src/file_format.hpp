#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kbsim/oplog/op.hpp"

/// The constants of docs/reference/oplog-format.md, version 2.
namespace kbsim::oplog::format {

inline constexpr std::string_view kMagic = "KBSIMLOG";
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kHeader = 16;       // magic, version, checksum
inline constexpr std::size_t kSectionHead = 12;  // tag, length
inline constexpr std::size_t kChecksum = 4;      // after the header and after each section

inline constexpr std::uint32_t kLane = 0x454e'414c;  // "LANE"
inline constexpr std::uint32_t kEnd = 0x2044'4e45;   // "END "

inline constexpr std::uint8_t kNotRecorded = 0xff;  // instead of a kind

/// The last codes that this build knows: it refuses later ones by their number.
inline constexpr auto kLastKind = static_cast<OpKind>(kOpKinds - 1);
inline constexpr UnaryOp kLastUnary = kUnaryOps.back().op;
inline constexpr BinaryOp kLastBinary = kBinaryOps.back().op;
inline constexpr TernaryOp kLastTernary = kTernaryOps.back().op;
inline constexpr ReduceOp kLastReduce = kReduceOps.back().op;
/// The last of version 2. A later one needs version 3.
inline constexpr Nan kLastNan = Nan::propagate;
inline constexpr Round kLastRound = Round::rtz;
inline constexpr auto kLastDType = static_cast<DType>(kDTypes.size() - 1);

/// No value is larger: shapes beyond it are a forged file's.
inline constexpr std::int64_t kLargestValue = std::int64_t{1} << 34;

}  // namespace kbsim::oplog::format
