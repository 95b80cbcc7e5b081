#include "kbsim/web/pages.hpp"

#include <initializer_list>
#include <span>

#include "web_texts.hpp"

namespace kbsim::web {
namespace {

using Pieces = std::span<const std::string_view>;

struct Part {
  std::string_view mark;  // in the template, once
  Pieces text;
};

// Marks are in the order of the template.
void fill(std::string_view page, std::initializer_list<Part> parts, const Sink& sink) {
  for (const auto& [mark, text] : parts) {
    const std::size_t at = page.find(mark);
    sink(page.substr(0, at));
    for (const std::string_view piece : text) sink(piece);
    page.remove_prefix(at + mark.size());
  }
  sink(page);
}

}  // namespace

void write_report_page(std::string_view data, const Sink& sink) {
  fill(kReportPage[0],
       {{"/*CHART STYLE*/", kChartStyle},
        {"/*STYLE*/", kReportStyle},
        {"/*DATA*/", Pieces{&data, 1}},
        {"/*CHART LICENCE*/", kChartLicence},
        {"/*CHART*/", kChartScript},
        {"/*PROGRAM*/", kReportProgram}},
       sink);
}

void write_timeline_page(std::string_view data, const Sink& sink) {
  fill(kTimelinePage[0], {{"/*DATA*/", Pieces{&data, 1}}, {"/*PROGRAM*/", kTimelineProgram}}, sink);
}

}  // namespace kbsim::web
