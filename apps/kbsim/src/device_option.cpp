#include "device_option.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim::app {
namespace {

struct Copies {
  const Bench* bench;
  BenchRequest request;
  std::vector<BenchReport>* reports;  // by package
};

Task<> run_copy(host::Rank& rk, Copies copies) {
  BenchReport* report = &(*copies.reports)[static_cast<std::size_t>(rk.ahbm.current_device())];
  co_await copies.bench->run(rk, copies.request, report);
}

std::string device_name(int sip) { return fmt::format("sip:{}", sip); }

void add(const BenchReport& copy, int sip, BenchReport& all) {
  const std::string device = device_name(sip);
  all.correct = all.correct && copy.correct;
  if (!copy.correct && all.wrong.empty()) all.wrong = fmt::format("{}: {}", device, copy.wrong);
  all.text += fmt::format(" {}\n{}", device, copy.text);
  for (const std::string& line : copy.tensors) all.tensors.push_back(fmt::format("{} {}", device, line));
  boost::json::object row{{"device", device}};
  for (const auto& [key, value] : copy.json.object()) row[key] = value;
  all.json["devices"].as_array().push_back(std::move(row));
}

std::optional<int> sip_of(std::string_view text) {
  constexpr std::string_view kPrefix = "sip:";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  int sip = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sip);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || sip < 0)
    return std::nullopt;
  return sip;
}

}  // namespace

std::vector<int> devices_named(const std::string& text, const config::MachineSpec& machine,
                               const std::string& name, const Bench& bench) {
  const std::optional<int> sip = sip_of(text);
  const int count = machine.system.sips.count;
  if (!sip && text != "all")
    throw UsageError{
        fmt::format("--device must be sip:N or all, got '{}'{}", text, near_hint(text, {"all", "sip:0"}))};
  if (sip && *sip >= count)
    throw UsageError{
        fmt::format("--device {}: the machine has {} (system.sips.count)", text, counted(count, "package"))};
  if (bench.devices == Devices::own)
    throw UsageError{
        fmt::format("--device {} has no effect on --bench {}: it chooses its packages itself", text, name)};
  if (sip && bench.devices == Devices::all)
    throw UsageError{fmt::format("--device {}: --bench {} runs on all packages", text, name)};
  if (sip) return {*sip};
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Task<> run_on(host::Rank& main, std::vector<int> sips, const Bench* bench, BenchRequest request,
              BenchReport* report) {
  const int packages = main.ahbm.device_count();
  std::vector<BenchReport> reports(static_cast<std::size_t>(packages));
  const Copies copies{.bench = bench, .request = request, .reports = &reports};
  if (sips.size() == 1) {
    main.ahbm.set_device(sips.front());
    co_await run_copy(main, copies);
  } else {
    co_await main.mp.spawn(run_copy, copies, {.nprocs = packages});
  }
  report->json["devices"] = boost::json::array{};
  for (const int sip : sips) add(reports[static_cast<std::size_t>(sip)], sip, *report);
}

bool has_rows(const BenchReport& report) {
  if (report.json.empty()) return false;
  return std::ranges::any_of(rows_of(report), [](const boost::json::value& row) {
    return row.as_object().size() > 1 || !row.as_object().contains("device");
  });
}

boost::json::array rows_of(const BenchReport& report) {
  const boost::json::value* devices = report.json.object().if_contains("devices");
  return devices != nullptr ? devices->as_array() : boost::json::array{report.json.object()};
}

}  // namespace kbsim::app
