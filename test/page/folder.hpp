#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <boost/json/parse.hpp>

#include "kbsim/page/report_page.hpp"

namespace kbsim::page::test {

namespace fs = std::filesystem;
namespace json = boost::json;

/// A folder of a run for a test, and its page.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_{fs::temp_directory_path() / ("kbsim_test_page_" + name)} {
    fs::remove_all(path_);
    fs::create_directories(path_);
    write("run.json", R"({"run": {"simulated_ps": 3}})");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream{path_ / name} << text; }

  [[nodiscard]] std::string page(const RunFolder* against = nullptr) const {
    std::string text;
    write_report({.path = path_}, against, [&](std::string_view piece) { text += piece; });
    return text;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The page's data: a list of its runs.
inline json::value data_in(const std::string& page) {
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace kbsim::page::test
