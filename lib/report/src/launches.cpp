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

// The width of the longest kernel name shown.
std::size_t name_width(std::span<const json::value> rows) {
  std::size_t width = std::string_view{"kernel"}.size();
  for (const json::value& row : rows) width = std::max(width, row.at("kernel").as_string().size());
  return width;
}

std::string launch_line(const json::value& row, std::size_t width) {
  const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
  return fmt::format(
      "{:>8.0f}  {:<{}} {:>4.0f} {:>4.0f} {:>5.0f} {:>11.3f} {:>10.3f} {:>9.0f} {:>9.0f} {:>5} "
      "{:>5} {:>5}\n",
      number("launch"), row.at("kernel").as_string().c_str(), width, number("rank"), number("sip"),
      number("pes"), number("start_ns"), number("duration_ns"), number("read_bytes"), number("written_bytes"),
      percent(row.at("gemm_utilization")), percent(row.at("math_utilization")),
      percent(row.at("dma_utilization")));
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

std::string launches_text(const json::array& rows) {
  constexpr std::size_t kShown = 20;
  if (rows.empty()) return {};
  const std::span first{rows.data(), std::min(rows.size(), kShown)};
  const std::size_t width = name_width(first);
  std::string text = fmt::format(
      "  launch  {:<{}} rank  sip   PEs       start       time      read   written  GEMM  math   DMA\n"
      "          {:<{}}                       (ns)       (ns)       (B)       (B)   (%)   (%)   (%)\n",
      "kernel", width, "", width);
  for (const json::value& row : first) text += launch_line(row, width);
  if (rows.size() > kShown)
    text += fmt::format("  and {}\n", counted(rows.size() - kShown, "more launch", "more launches"));
  return text;
}

}  // namespace kbsim::report
