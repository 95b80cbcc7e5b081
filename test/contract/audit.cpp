// All registered names are listed with a sentence each, and benches are documented.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "kbsim/base/registry.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_arbiter.hpp"
#include "kbsim/hw/memory/i_memory_scheduler.hpp"
#include "kbsim/hw/pe/i_request_policy.hpp"
#include "kbsim/tl/kernel.hpp"

#include "command.hpp"

namespace kbsim::contract::audit_test {

using namespace kbsim::test;

namespace {

using Section = std::map<std::string, std::string>;  // sentences by name

// "title:" lines at the margin, "  name   sentence" lines below each.
std::map<std::string, Section> listed() {
  std::map<std::string, Section> sections;
  std::istringstream lines{run_kbsim("list").out};
  std::string title;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) {
      title = line.substr(0, line.find_first_of(":("));
      continue;
    }
    if (line.starts_with("   ")) continue;  // the rest of a sentence
    std::istringstream words{line};
    std::string name;
    words >> name >> std::ws;
    std::getline(words, sections[title][name]);
  }
  return sections;
}

void check(const Section& section, const std::vector<std::string>& names) {
  CHECK(section.size() == names.size());
  for (const std::string& name : names) {
    CAPTURE(name);
    REQUIRE(section.contains(name));
    CHECK(section.at(name).find(' ') != std::string::npos);
  }
}

std::string documents() {
  std::ostringstream text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{KBSIM_SOURCE_DIR "/docs"}) {
    if (entry.path().extension() == ".md") text << std::ifstream{entry.path()}.rdbuf();
  }
  return text.str();
}

}  // namespace

TEST_CASE("Audit: kbsim list has a sentence for all that is registered, and nothing else") {
  const auto sections = listed();
  std::vector<std::string> algorithms;
  const std::string ccl = KBSIM_SOURCE_DIR "/configs/ccl.yaml";
  for (const auto& [name, spec] : config::load_ccl(ccl).algorithms) algorithms.push_back(name);
  check(sections.at("kernels"), kernels().names());
  check(sections.at("algorithms "), algorithms);
  check(sections.at("neighbour topologies"), ccl::topologies().names());
  check(sections.at("mappers"), ccl::mappers().names());
  check(sections.at("validators"), ccl::validators().names());
  check(sections.at("component models"), hw::component_models().names());
  check(sections.at("arbiters of routers"), hw::arbiters().names());
  check(sections.at("request policies of the DMA"), hw::request_policies().names());
  check(sections.at("memory schedulers"), hw::memory_schedulers().names());
}

TEST_CASE("Audit: every finding has its formula, and a row in the documents") {
  const std::string text = documents();
  const auto sections = listed();
  for (const auto& [name, sentence] : sections.at("findings")) {
    CAPTURE(name);
    CHECK(sentence.find(' ') != std::string::npos);
    CHECK(text.find("| `" + name + "` |") != std::string::npos);
  }
}

TEST_CASE("Audit: every bench has a sentence and a place in the documents") {
  const std::string text = documents();
  const auto sections = listed();
  for (const auto& [name, sentence] : sections.at("benches")) {
    CAPTURE(name);
    CHECK(sentence.find(' ') != std::string::npos);
    CHECK(text.find(name) != std::string::npos);
  }
}

}  // namespace kbsim::contract::audit_test
