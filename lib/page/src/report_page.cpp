#include "kbsim/page/report_page.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "kbsim/trace/page.hpp"

#include "page_texts.hpp"
#include "run_data.hpp"

namespace kbsim::page {
namespace {

namespace json = boost::json;

// What ends a script's element can't stand in it.
std::string without_tags(std::string text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

json::array runs_of(const RunFolder& run, const RunFolder* against) {
  const int shares = against == nullptr ? 1 : 2;
  json::array runs;
  runs.emplace_back(run_data(run, shares));
  if (against != nullptr) runs.emplace_back(run_data(*against, shares));
  return runs;
}

}  // namespace

void write_report(const RunFolder& run, const RunFolder* against, const trace::Sink& sink) {
  const std::string data = without_tags(json::serialize(runs_of(run, against)));
  const std::array<std::pair<std::string_view, std::string_view>, 15> parts{
      {{"/*CHART STYLE*/", kChartStyle},
       {"/*STYLE*/", kStyle},
       {"/*DATA*/", data},
       {"/*CHART LICENCE*/", kChartLicence},
       {"/*CHART*/", kChartScript},
       {"/*TIMELINE*/", trace::timeline_script()},
       {"/*RUN*/", kRunScript},
       {"/*TRAFFIC*/", kTrafficScript},
       {"/*RECORDED*/", kRecordedScript},
       {"/*NETWORK*/", kNetworkScript},
       {"/*MACHINE*/", kMachineScript},
       {"/*TABLES*/", kTablesScript},
       {"/*SLACK*/", kSlackScript},
       {"/*COMPARE*/", kCompareScript},
       {"/*REPORT*/", kReportScript}}};
  std::string_view page = kPage;
  for (const auto& [mark, text] : parts) {
    const std::size_t at = page.find(mark);
    sink(page.substr(0, at));
    sink(text);
    page.remove_prefix(at + mark.size());
  }
  sink(page);
}

}  // namespace kbsim::page
