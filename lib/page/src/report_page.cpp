#include "kbsim/page/report_page.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "kbsim/base/utf8.hpp"
#include "kbsim/trace/page.hpp"

#include "page_texts.hpp"
#include "run_data.hpp"

namespace kbsim::page {
namespace {

std::string runs_of(const RunFolder& run, const RunFolder* against) {
  if (against == nullptr) return "[" + run_data(run, 1) + "]";
  return "[" + run_data(run, 2) + "," + run_data(*against, 2) + "]";
}

}  // namespace

void write_report(const RunFolder& run, const RunFolder* against, const trace::Sink& sink) {
  const std::string data = json_in_script(runs_of(run, against));
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
