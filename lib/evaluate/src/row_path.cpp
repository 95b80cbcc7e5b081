#include "kbsim/evaluate/row_path.hpp"

#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/evaluation.hpp"

namespace kbsim::evaluate {
namespace {

constexpr const char* kExplanation = "explanation";

}  // namespace

void add(boost::json::object& row, RowPath path) {
  row[kExplanation] = boost::json::object{{"text", path.text}, {"document", std::move(path.document)}};
}

std::optional<RowPath> take_path(boost::json::array& rows) {
  for (boost::json::value& value : rows) {
    boost::json::object& row = value.as_object();
    boost::json::value* const found = row.if_contains(kExplanation);
    if (found == nullptr) continue;
    RowPath path{.text = std::string{found->at("text").as_string()},
                 .document = std::move(found->at("document").as_object())};
    (void)row.stable_erase(row.find(kExplanation));
    return path;
  }
  return std::nullopt;
}

void require_asked(const EvaluationRequest& request, std::size_t rows, std::size_t simulations) {
  if (request.parallel_bound && simulations != 1)
    throw UsageError{fmt::format("--parallel-bound is of a single simulation, and these are {}{}",
                                 simulations,
                                 request.alone.empty() ? "" : fmt::format("; {} is one", request.alone))};
  if (request.explained_row <= rows) return;
  throw UsageError{fmt::format("--of row:{}: {}{}", request.explained_row, there_are(rows, "row"),
                               rows == 1 ? "" : fmt::format(", 1 to {}", rows))};
}

}  // namespace kbsim::evaluate
