// docs/reference/configuration.md is generated from the descriptions of the keys in the code.
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>

#include "kbsim/config/describe.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

#include "files.hpp"

namespace kbsim::contract::configuration_page_test {
namespace {

const std::string kPage = KBSIM_SOURCE_DIR "/docs/reference/configuration.md";

}  // namespace

TEST_CASE("Configuration page: docs/reference/configuration.md is up to date") {
  const std::string page = kbsim::config::reference_markdown(kbsim::hw::ModelCatalog{});
  if (std::getenv("KBSIM_UPDATE") != nullptr) std::ofstream{kPage} << page;
  CHECK_MESSAGE(
      kbsim::test::contents(kPage) == page,
      "docs/reference/configuration.md is out of date; rewrite it with KBSIM_UPDATE=1 ctest -R contract");
}

}  // namespace kbsim::contract::configuration_page_test
