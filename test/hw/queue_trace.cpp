#include "kbsim/hw/queue_trace.hpp"

#include <array>
#include <string>

#include <doctest/doctest.h>

namespace kbsim::hw::test::queue_trace_test {
namespace {

std::string text_of(std::FILE* file) {
  std::rewind(file);
  std::array<char, 1000> text{};
  return {text.data(), std::fread(text.data(), 1, text.size(), file)};
}

}  // namespace

TEST_CASE("QueueTrace: lines come in the order of time, then of PEs, whatever the order of the notes") {
  std::FILE* const file = std::tmpfile();
  QueueTrace trace;
  CHECK(!trace.on());
  trace.print_to(file);
  CHECK(trace.on());
  trace.note(1_ns,
             {.at = 5_ns, .pe = {0, 0, 1}, .what = "send", .direction = "E", .sequence = 7, .bytes = 64_B});
  trace.note(1_ns,
             {.at = 1_ns, .pe = {0, 0, 2}, .what = "recv", .direction = "W", .sequence = 1, .bytes = 8_B});
  trace.note(1_ns,
             {.at = 1_ns, .pe = {0, 0, 1}, .what = "recv", .direction = "W", .sequence = 0, .bytes = 8_B});
  CHECK(text_of(file).empty());
  trace.note(2_ns,
             {.at = 3_ns, .pe = {0, 0, 0}, .what = "send", .direction = "N", .sequence = 0, .bytes = 1_B});
  const std::string first = "1 ns sip0.cube0.pe1 recv W 8 B #0\n1 ns sip0.cube0.pe2 recv W 8 B #1\n";
  CHECK(text_of(file) == first);
  trace.flush();
  CHECK(text_of(file) == first + "3 ns sip0.cube0.pe0 send N 1 B #0\n5 ns sip0.cube0.pe1 send E 64 B #7\n");
  std::fclose(file);
  trace.print_to(stderr);
}

}  // namespace kbsim::hw::test::queue_trace_test
