#include "kbsim/page/report_page.hpp"

#include <string>

#include "kbsim/base/utf8.hpp"
#include "kbsim/web/pages.hpp"

#include "run_data.hpp"

namespace kbsim::page {
namespace {

std::string runs_of(const RunFolder& run, const RunFolder* against) {
  if (against == nullptr) return "[" + run_data(run, 1) + "]";
  return "[" + run_data(run, 2) + "," + run_data(*against, 2) + "]";
}

}  // namespace

void write_report(const RunFolder& run, const RunFolder* against, const trace::Sink& sink) {
  web::write_report_page(json_in_script(runs_of(run, against)), sink);
}

}  // namespace kbsim::page
