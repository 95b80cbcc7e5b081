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

void RowPath::advise(std::vector<explain::Advice> gains) {
  advice = std::move(gains);
  if (!advice.empty()) document["try"] = explain::to_json(advice);
  std::vector<explain::Finding> found = findings();
  explain::settle(found, advice);
  document["findings"] = explain::to_json(found);
}

std::vector<explain::Finding> RowPath::findings() const {
  const boost::json::value* const rows = document.if_contains("findings");
  return rows == nullptr || !rows->is_array() ? std::vector<explain::Finding>{}
                                              : explain::findings_read(rows->as_array());
}

void add(boost::json::object& row, const RowPath& path) {
  row[kExplanation] = boost::json::object{
      {"limit", path.text.limit},        {"headline", path.text.headline},
      {"details", path.text.details},    {"remedies", path.text.remedies},
      {"document", path.document},       {"candidates", explain::to_json(path.candidates)},
      {"length_ps", path.length.count()}};
}

std::optional<RowPath> take_path(boost::json::array& rows) {
  for (boost::json::value& value : rows) {
    boost::json::object& row = value.as_object();
    boost::json::value* const found = row.if_contains(kExplanation);
    if (found == nullptr) continue;
    const auto text = [&](const char* part) { return std::string{found->at(part).as_string()}; };
    RowPath path{.text = {text("limit"), text("headline"), text("details"), text("remedies")},
                 .document = std::move(found->at("document").as_object()),
                 .candidates = explain::candidates_in(found->at("candidates").as_array()),
                 .length = Time{found->at("length_ps").to_number<std::int64_t>()}};
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
