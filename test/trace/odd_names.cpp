// Names that aren't UTF-8, or end a script or an element where they aren't escaped.
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "kbsim/base/utf8.hpp"
#include "kbsim/trace/page.hpp"

#include "timelines.hpp"

namespace kbsim::test::odd_names_test {

namespace {

constexpr const char* kOdd = "caf\xe9 </script><!--";
constexpr const char* kEscaped = "caf\\xe9 </script><!--";

void fill_oddly(trace::Timeline& line) {
  fill(line);
  line.title = kOdd;
  for (trace::Track& track : line.tracks) track.name = kOdd;
  line.series.front().name = kOdd;
  line.slices.add({.track = 2,
                   .start = 0_ns,
                   .minus_end = -100'000,
                   .kind = trace::SliceKind::range,
                   .name = line.strings.id(kOdd),
                   .detail = line.strings.id(kOdd),
                   .part = line.strings.id(kOdd),
                   .at = line.strings.id(kOdd)});
}

std::string written_by(void (*write)(trace::Timeline&, const trace::Sink&)) {
  trace::Timeline line;
  fill_oddly(line);
  std::string text;
  write(line, [&](std::string_view piece) { text += piece; });
  return text;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("Chrome trace: names that aren't UTF-8 are JSON, their bytes escaped") {
  trace::Timeline line;
  fill_oddly(line);
  const boost::json::value trace = boost::json::parse(chrome_bytes(line));
  CHECK(trace.at("traceName").as_string() == kEscaped);
  bool named = false;
  for (const auto& event : trace.at("traceEvents").as_array())
    named |= event.at("ph").as_string() == "X" && event.at("name").as_string() == kEscaped;
  CHECK(named);
}

TEST_CASE("Perfetto trace: no text has a byte that isn't UTF-8") {
  trace::Timeline line;
  fill_oddly(line);
  const std::string bytes = perfetto_bytes(line);
  CHECK(count(bytes, "caf\xe9") == 0);
  CHECK(count(bytes, kEscaped) >= 6);  // the title, four tracks, the range
}

TEST_CASE("Timeline picture and page: names that aren't UTF-8 are escaped, and end nothing") {
  const std::string picture = written_by(trace::write_svg);
  CHECK(as_utf8(picture) == picture);
  CHECK(count(picture, "caf\\xe9 &lt;/script&gt;&lt;!--") >= 2);
  CHECK(count(picture, "</script") == 0);
  const std::string page = written_by(trace::write_page);
  trace::Timeline plain;
  fill(plain);
  std::string usual;
  trace::write_page(plain, [&](std::string_view piece) { usual += piece; });
  CHECK(as_utf8(page) == page);
  CHECK(count(page, "caf\\\\xe9 \\u003c/script>\\u003c!--") >= 2);
  CHECK(count(page, "</script") == count(usual, "</script"));
}

}  // namespace kbsim::test::odd_names_test
