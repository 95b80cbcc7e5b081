#include "kbsim/evaluate/row_records.hpp"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/utf8.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/run_trace.hpp"
#include "kbsim/report/use.hpp"

namespace kbsim::evaluate {

namespace {

// Tables of many rows would be large: a machine of 4 packages has 600 kB of them.
constexpr std::size_t kMostTables = 20;

}  // namespace

std::vector<std::size_t> rows_within(std::span<const RowCost> costs, std::uint64_t budget,
                                     std::size_t first) {
  std::vector<RowCost> order(costs.begin(), costs.end());
  std::ranges::stable_sort(order, {}, [first](const RowCost& cost) {
    return std::pair{cost.row != first, cost.row == first ? 0 : cost.events};
  });
  std::vector<std::size_t> rows;
  for (const RowCost& cost : order) {
    if (cost.events > budget) continue;
    budget -= cost.events;
    rows.push_back(cost.row);
  }
  std::ranges::sort(rows);
  return rows;
}

RowRecords::RowRecords(std::string bench, const EvaluationRequest& request, std::vector<std::size_t> rows)
    : bench_{std::move(bench)},
      request_{request},
      configuration_{report::configuration_text(request.machine, &request.ccl)},
      rows_{std::move(rows)} {}

bool RowRecords::has(std::size_t row) const {
  const std::scoped_lock lock{mutex_};
  const auto found = records_.find(row);
  return std::ranges::find(rows_, row) != rows_.end() && (found == records_.end() || !found->second.ended);
}

void RowRecords::during(std::size_t row, host::Session& session, const std::function<void()>& run) {
  std::string spans;
  report::RunTrace trace;
  trace.keep_for_page([&spans](std::string text) { spans = std::move(text); }, rows_.size());
  trace.during(session.machine(), fmt::format("kbsim --bench {}, row {}", bench_, row), run);
  trace.require_written();
  Row record{.ended = true};
  record.files["spans.json"] = std::move(spans);
  if (rows_.size() <= kMostTables) {
    record.files["links.csv"] = report::links_csv(session.machine().fabric(), session.sim().now());
    record.files["units.csv"] = report::units_csv(session.machine(), session.sim().now());
  }
  std::string configuration = report::configuration_text(session.spec(), &request_.ccl);
  if (configuration != configuration_) record.files["config.resolved.yaml"] = std::move(configuration);
  keep(row, std::move(record));
}

void RowRecords::keep(std::size_t row, Row record) {
  const std::scoped_lock lock{mutex_};
  records_[row] = std::move(record);
}

void RowRecords::add_path(std::size_t row, const boost::json::object& document, const std::string& limit) {
  std::string text = json_as_utf8(boost::json::serialize(document)) + "\n";
  const std::scoped_lock lock{mutex_};
  Row& record = records_[row];
  record.files["explain.json"] = std::move(text);
  record.limit = limit;
}

std::string RowRecords::limit_of(std::size_t row) const {
  const std::scoped_lock lock{mutex_};
  const auto found = records_.find(row);
  return found == records_.end() ? "" : found->second.limit;
}

void RowRecords::write(const report::OutputFolder& folder) const {
  const std::scoped_lock lock{mutex_};
  for (const auto& [row, record] : records_) {
    if (!record.ended) continue;
    for (const auto& [name, text] : record.files)
      folder.write(fmt::format("{}/{}", report::row_folder(row), name), text);
  }
}

}  // namespace kbsim::evaluate
