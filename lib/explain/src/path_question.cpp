#include "kbsim/explain/path_question.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim::explain {
namespace {

// The text that follows a kind's name.
enum class Naming : std::uint8_t { nothing, number, lane_and_number };

struct QuestionKind {
  std::string_view name;
  PathQuestion::Kind kind;
  Naming naming;
};
constexpr std::array kKinds{QuestionKind{"run", PathQuestion::Kind::run, Naming::nothing},
                            QuestionKind{"launch", PathQuestion::Kind::launch, Naming::number},
                            QuestionKind{"collective", PathQuestion::Kind::collective, Naming::number},
                            QuestionKind{"row", PathQuestion::Kind::row, Naming::number},
                            QuestionKind{"op", PathQuestion::Kind::op, Naming::lane_and_number}};

template <class Number>
std::optional<Number> number_in(std::string_view digits) {
  Number number{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::vector<std::string> names_of_lanes(const oplog::OpLog& log) {
  std::vector<std::string> names;
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) names.push_back(log.lane_name(lane));
  return names;
}

std::vector<std::string> names_of_kinds() {
  std::vector<std::string> names;
  for (const QuestionKind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

[[noreturn]] void refuse_question(const std::string& text) {
  throw UsageError{
      fmt::format("--of {}: expected run, launch:N, collective:N or row:N, N from 1 on, or op:LANE:N, N from "
                  "0 on, as op:sip0.cube0.pe0:17{}",
                  text, near_hint(text.substr(0, text.find(':')), names_of_kinds()))};
}

PathQuestion numbered(const QuestionKind& of, const std::string& text, std::string_view digits) {
  const std::optional<std::size_t> number = number_in<std::size_t>(digits);
  if (!number || *number == 0) refuse_question(text);
  return {.kind = of.kind, .number = *number};
}

PathQuestion in_a_lane(const QuestionKind& of, const std::string& text, std::string_view id) {
  const std::size_t colon = id.rfind(':');
  if (colon == std::string_view::npos || colon == 0) refuse_question(text);
  const std::optional<std::uint32_t> number = number_in<std::uint32_t>(id.substr(colon + 1));
  if (!number) refuse_question(text);
  return {.kind = of.kind, .number = *number, .lane = std::string{id.substr(0, colon)}};
}

/// "; 3 lanes have some: a, b, c"; the first three if there are more; "" if none has any.
std::string lanes_with_operations(const oplog::OpLog& log) {
  constexpr std::size_t kNamed = 3;
  std::size_t count = 0;
  std::string names;
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) {
    if (log.ops(lane).empty()) continue;
    if (++count <= kNamed) names += fmt::format("{}{}", count == 1 ? "" : ", ", log.lane_name(lane));
  }
  if (count == 0) return {};
  return fmt::format("; {} {}: {}{}", count, count == 1 ? "lane has some" : "lanes have some", names,
                     count > kNamed ? ", ..." : "");
}

}  // namespace

PathQuestion question_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto kind = std::ranges::find(kKinds, std::string_view{text}.substr(0, colon), &QuestionKind::name);
  const bool says_which = colon != std::string::npos;
  if (kind == kKinds.end() || says_which == (kind->naming == Naming::nothing)) refuse_question(text);
  const std::string_view which = says_which ? std::string_view{text}.substr(colon + 1) : std::string_view{};
  switch (kind->naming) {
    case Naming::nothing: return {.kind = kind->kind};
    case Naming::number: return numbered(*kind, text, which);
    case Naming::lane_and_number: break;
  }
  return in_a_lane(*kind, text, which);
}

std::string as_asked(const PathQuestion& asked) {
  const QuestionKind& kind = *std::ranges::find(kKinds, asked.kind, &QuestionKind::kind);
  switch (kind.naming) {
    case Naming::nothing: return std::string{kind.name};
    case Naming::number: return fmt::format("{}:{}", kind.name, asked.number);
    case Naming::lane_and_number: break;
  }
  return fmt::format("{}:{}:{}", kind.name, asked.lane, asked.number);
}

oplog::ValueId op_of(const PathQuestion& asked, const oplog::OpLog& log) {
  const std::vector<std::string> names = names_of_lanes(log);
  const auto named = std::ranges::find(names, asked.lane);
  const auto seq = static_cast<std::uint32_t>(asked.number);
  if (named != names.end()) return {.lane = static_cast<std::uint32_t>(named - names.begin()), .seq = seq};
  const std::optional<std::uint32_t> number = number_in<std::uint32_t>(asked.lane);
  if (number && *number < names.size()) return {.lane = *number, .seq = seq};
  if (names.empty()) throw UsageError{fmt::format("--of {}: the op log has no lanes", as_asked(asked))};
  throw UsageError{fmt::format("--of {}: there is no such lane: the op log has 0 to {}, {} to {}{}",
                               as_asked(asked), names.size() - 1, names.front(), names.back(),
                               near_hint(asked.lane, names))};
}

void require_recorded(const PathQuestion& asked, oplog::ValueId op, const oplog::OpLog& log) {
  if (log.find(op) != nullptr) return;
  const std::size_t all = log.ops(op.lane).size();
  if (op.seq < all)
    throw NothingAsked{fmt::format("--of {}: that operation was issued and never ended", as_asked(asked))};
  throw NothingAsked{all == 0 ? fmt::format("--of {}: {} has no operations{}", as_asked(asked),
                                            log.lane_name(op.lane), lanes_with_operations(log))
                              : fmt::format("--of {}: {} has operations 0 to {}", as_asked(asked),
                                            log.lane_name(op.lane), all - 1)};
}

}  // namespace kbsim::explain
