#include "kbsim/report/launches.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/report/csv.hpp"

namespace kbsim::report {
namespace {

namespace json = boost::json;

// None if the time is zero.
json::value share(Time busy, Time whole) {
  if (whole == Time{0}) return nullptr;
  return static_cast<double>(busy.count()) / static_cast<double>(whole.count());
}

std::string percent(const json::value& part) {
  return part.is_null() ? "N/A" : fmt::format("{:.1f}", 100.0 * part.as_double());
}

json::object launch_row(std::size_t launch, const hw::OrderRecord& order) {
  const hw::UnitWork& work = order.activity.work;
  const Time whole = order.kernel() * order.pes;
  return {{"launch", launch},
          {"kernel", order.kernel_name},
          {"rank", order.rank},
          {"sip", order.sip},
          {"pes", order.pes},
          {"start_ns", to_ns(order.activity.first_start)},
          {"duration_ns", to_ns(order.kernel())},
          {"read_bytes", work.read.count()},
          {"written_bytes", work.written.count()},
          {"gemm_utilization", share(work.gemm, whole)},
          {"math_utilization", share(work.math, whole)},
          {"dma_utilization", share(work.dma, whole)}};
}

std::vector<std::string> cells_of(const json::value& row) {
  const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
  const auto whole = [&](const char* key) { return fmt::format("{:.0f}", number(key)); };
  return {whole("launch"),
          std::string{row.at("kernel").as_string()},
          whole("rank"),
          whole("sip"),
          whole("pes"),
          fmt::format("{:.3f}", number("start_ns")),
          fmt::format("{:.3f}", number("duration_ns")),
          whole("read_bytes"),
          whole("written_bytes"),
          percent(row.at("gemm_utilization")),
          percent(row.at("math_utilization")),
          percent(row.at("dma_utilization"))};
}

TextTable table_of(Columns columns) {
  return {{{.title = "launch"},
           {.title = "kernel", .is_text = true},
           {.title = "rank"},
           {.title = "sip", .is_wide = true},
           {.title = "PEs"},
           {.title = "start", .unit = "(ns)", .is_wide = true},
           {.title = "time", .unit = "(ns)"},
           {.title = "read", .unit = "(B)", .is_wide = true},
           {.title = "written", .unit = "(B)", .is_wide = true},
           {.title = "GEMM", .unit = "(%)"},
           {.title = "math", .unit = "(%)"},
           {.title = "DMA", .unit = "(%)"}},
          columns};
}

}  // namespace

json::array launch_rows(const std::vector<hw::OrderRecord>& orders) {
  json::array rows;
  for (const hw::OrderRecord& order : orders) {
    if (order.phase == hw::OrderPhase::kernel) rows.push_back(launch_row(rows.size(), order));
  }
  return rows;
}

std::string launches_csv(const json::array& rows) {
  if (!rows.empty()) return to_csv(rows);
  std::string head;
  for (const auto& field : launch_row(0, {})) {
    if (!head.empty()) head += ',';
    head += field.key();
  }
  return head + "\n";
}

std::string launches_text(const json::array& rows, Columns columns) {
  constexpr std::size_t kShown = 20;
  if (rows.empty()) return {};
  TextTable table = table_of(columns);
  for (const json::value& row : std::span{rows.data(), std::min(rows.size(), kShown)})
    table.add(cells_of(row));
  std::string text = table.text();
  if (rows.size() > kShown)
    text += fmt::format("  and {}\n", counted(rows.size() - kShown, "more launch", "more launches"));
  return text;
}

}  // namespace kbsim::report
