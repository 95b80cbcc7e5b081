#include "path_question.hpp"

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

namespace kbsim::app {
namespace {

// What is named by its number alone.
struct CountedKind {
  std::string_view name;
  PathQuestion::Kind kind;
};
constexpr std::array kCountedKinds{CountedKind{"launch", PathQuestion::Kind::launch},
                                   CountedKind{"collective", PathQuestion::Kind::collective},
                                   CountedKind{"row", PathQuestion::Kind::row}};

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

[[noreturn]] void refuse_question(const std::string& text) {
  throw UsageError{
      fmt::format("--of {}: expected run, launch:N, collective:N or row:N, N from 1 on, or op:LANE:N, N from "
                  "0 on, as op:sip0.cube0.pe0:17",
                  text)};
}

PathQuestion op_question(const std::string& text, const std::string& id) {
  const std::size_t colon = id.rfind(':');
  if (colon == std::string::npos || colon == 0) refuse_question(text);
  const std::optional<std::uint32_t> number =
      number_in<std::uint32_t>(std::string_view{id}.substr(colon + 1));
  if (!number) refuse_question(text);
  return {.kind = PathQuestion::Kind::op, .number = *number, .lane = id.substr(0, colon)};
}

/// "; 3 lanes have some: a, b, c", of more than three the first three; nothing if none has.
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
  if (text == "run") return {};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse_question(text);
  const std::string kind = text.substr(0, colon);
  const std::string rest = text.substr(colon + 1);
  if (kind == "op") return op_question(text, rest);
  const std::optional<std::size_t> number = number_in<std::size_t>(rest);
  const auto counted = std::ranges::find(kCountedKinds, kind, &CountedKind::name);
  if (!number || *number == 0 || counted == kCountedKinds.end()) refuse_question(text);
  return {.kind = counted->kind, .number = *number};
}

std::string as_asked(const PathQuestion& asked) {
  if (asked.kind == PathQuestion::Kind::run) return "run";
  if (asked.kind == PathQuestion::Kind::op) return fmt::format("op:{}:{}", asked.lane, asked.number);
  return fmt::format("{}:{}", std::ranges::find(kCountedKinds, asked.kind, &CountedKind::kind)->name,
                     asked.number);
}

oplog::ValueId op_of(const PathQuestion& asked, const oplog::OpLog& log) {
  const std::vector<std::string> names = names_of_lanes(log);
  const auto named = std::ranges::find(names, asked.lane);
  const auto seq = static_cast<std::uint32_t>(asked.number);
  if (named != names.end()) return {.lane = static_cast<std::uint32_t>(named - names.begin()), .seq = seq};
  const std::optional<std::uint32_t> number = number_in<std::uint32_t>(asked.lane);
  if (number && *number < names.size()) return {.lane = *number, .seq = seq};
  const std::string near = nearest_name(asked.lane, names);
  throw UsageError{fmt::format("--of {}: there is no such lane: the op log has 0 to {}, {} to {}{}",
                               as_asked(asked), names.size() - 1, names.front(), names.back(),
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near))};
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

}  // namespace kbsim::app
