#include "yaml_tree.hpp"

#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "kbsim/base/tab_hint.hpp"

#include "tree_builder.hpp"

namespace kbsim::config {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 20;

}  // namespace

Tree parse_yaml(std::string_view text, const Origin& origin, Problems& problems) {
  TreeBuilder builder{origin, problems};
  if (text.size() > kMaxText) {
    throw ConfigError{{.file = origin.name}, "", fmt::format("is larger than {} bytes", kMaxText)};
  }
  try {
    std::istringstream in{std::string{text}};
    YAML::Parser parser{in};
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const YAML::Exception& error) {
    throw ConfigError{builder.place(error.mark), "",
                      "not valid YAML: " + error.msg + tab_hint(text, error.mark.line + 1)};
  }
  return builder.take();
}

}  // namespace kbsim::config
