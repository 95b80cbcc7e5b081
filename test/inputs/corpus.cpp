// Files that the fuzzers kept (test/fuzz).
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/inputs/chakra/chakra_trace.hpp"
#include "kbsim/inputs/layers/layers.hpp"
#include "kbsim/inputs/logs/measurements.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"
#include "kbsim/inputs/noc/noc_trace.hpp"

namespace kbsim::inputs::test::corpus_test {
namespace {

using Read = std::function<void(const std::filesystem::path& file)>;

const std::map<std::string, Read> kReaders{
    {"chakra", [](const auto& file) { (void)chakra::read_trace(file); }},
    {"layers", [](const auto& file) { (void)read_layers(Text::read(file)); }},
    {"measurements", [](const auto& file) { (void)read_measurements(Text::read(file)); }},
    {"msccl", [](const auto& file) { (void)read_msccl(file.string()); }},
    {"mscclpp", [](const auto& file) { (void)read_mscclpp(file.string()); }},
    {"noc_trace",
     [](const auto& file) { (void)NocTrace::open(file, NocExtent{.w = 4, .h = 4, .layers = 2}); }},
};

bool is_read_or_refused(const Read& read, const std::filesystem::path& file) {
  try {
    read(file);
  } catch (const Error& error) {
    return is_refusal(error.exit_code());
  }
  return true;
}

}  // namespace

TEST_CASE("Inputs: each file of the fuzzers' corpora is read or refused") {
  for (const auto& [target, read] : kReaders) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator{KBSIM_BINARY "/fuzz/corpus/" + target}) {
      const std::string file = entry.path().string();
      CAPTURE(file);
      CHECK(is_read_or_refused(read, entry.path()));
      ++files;
    }
    CHECK_MESSAGE(files > 0, target);
  }
}

}  // namespace kbsim::inputs::test::corpus_test
