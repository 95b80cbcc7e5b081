#include "kbsim/page/report_page.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

#include <boost/json/array.hpp>
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "folder.hpp"

namespace kbsim::page::test {
namespace {

std::string segment(int from, int to, const std::string& reason) {
  return R"({"from_ps":)" + std::to_string(from) + R"(,"to_ps":)" + std::to_string(to) + R"(,"reason":")" +
         reason + R"(","kind":"k","place":"p","count":1})";
}

}  // namespace

TEST_CASE("Report page: a path's segments become columns of numbers, whose lengths sum to it") {
  const Folder folder{"columns"};
  folder.write("explain.json", R"({"paths":[{"of":"the run","length_ps":9,"path":[)" + segment(0, 4, "wire") +
                                   "," + segment(4, 9, "overhead") + "]}]}");
  const json::value data = data_in(folder.page());
  const json::value& path = data.at(0).at("explain").at("paths").at(0).at("path");
  CHECK(path.at("length") == json::array{4, 5});
  CHECK(path.at("key") == json::array{-1, -1});
  const json::value& words = data.at(0).at("explain").at("words");
  CHECK(words.at(path.at("reason").at(1).to_number<std::size_t>()).as_string() == "overhead");
}

TEST_CASE("Report page: links and units that did nothing have no row") {
  const Folder folder{"idle"};
  folder.write("links.csv", "link,bw_GBps,packets,bytes\na>b,64,0,0\nb>a,64,3,192\n");
  CHECK(data_in(folder.page()).at(0).at("tables").at("links.csv").as_string() ==
        "link,bw_GBps,packets,bytes\nb>a,64,3,192\n");
}

TEST_CASE("Report page: what is too large is left out, which it says, and stays below 10 MB") {
  const Folder folder{"large"};
  std::string rows = "launch,kernel\n";
  for (int i = 0; i < 100'000; ++i) rows += std::to_string(i) + ",a_kernel_of_some_name\n";
  folder.write("launches.csv", rows);
  folder.write("spans.json", R"({"title": ")" + std::string(8'000'000, 'x') + "\"}");
  const std::string page = folder.page();
  CHECK(page.size() < 10'000'000);
  const json::value data = data_in(page);
  CHECK(data.at(0).at("spans").is_null());
  CHECK(data.at(0).at("left_out").as_array().size() == 2);
}

TEST_CASE("Report page: of a table that is larger than any page its first lines are read alone") {
  const Folder folder{"long_table"};
  folder.write("barriers.csv", "cycle\n1\n");
  fs::resize_file(folder.path() / "barriers.csv", std::uintmax_t{300} << 20U);  // without a further line
  const json::value data = data_in(folder.page());
  CHECK(data.at(0).at("tables").at("barriers.csv").as_string() == "cycle\n1\n");
  CHECK(data.at(0).at("left_out") == json::array{"barriers.csv after line 2"});
}

TEST_CASE(
    "Report page: each row of an evaluation has its path, its timeline and the drawing of its machine") {
  const Folder folder{"of_rows"};
  folder.write("explain.json", R"({"row":2,"paths":[]})");
  for (const char* row : {"1", "2", "3"}) {
    fs::create_directories(folder.path() / "rows" / row);
    folder.write(std::string{"rows/"} + row + "/explain.json",
                 R"({"paths":[{"path":[)" + segment(0, 4, "wire") + "]}]}");
    folder.write(std::string{"rows/"} + row + "/spans.json",
                 R"({"title":")" + std::string(2'000'000, *row) + "\"}");
  }
  std::string page;
  write_report({.path = folder.path(),
                .drawing = "<svg>1</svg>",
                .rows = {{.row = 1, .drawing = 0}, {.row = 2, .drawing = 1}, {.row = 3}},
                .drawings = {"<svg>1</svg>", "<svg>2</svg>"}},
               nullptr, [&](std::string_view piece) { page += piece; });
  const json::value data = data_in(page).at(0);
  CHECK(data.at("drawing") == "<svg>2</svg>");
  CHECK(data.at("drawings") == json::array{"<svg>1</svg>", "<svg>2</svg>"});
  const json::array& rows = data.at("rows").as_array();
  REQUIRE(rows.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(rows[i].at("row") == i + 1);
    CHECK(rows[i].at("explain").at("paths").at(0).at("path").at("length") == json::array{4});
  }
  CHECK(!rows[0].at("spans").is_null());
  CHECK(!rows[1].at("spans").is_null());
  CHECK(rows[2].at("spans").is_null());
  CHECK(rows[1].at("drawing") == 1);
  CHECK(rows[2].at("drawing").is_null());
  CHECK(data.at("left_out") == json::array{"the timelines of rows from 3 on"});
}

TEST_CASE("Report page: whatever stands in files ends no script") {
  const Folder folder{"tags"};
  folder.write("results.csv", "a\n</script><b>\n");
  CHECK(folder.page().find("</script><b>") == std::string::npos);
  CHECK(data_in(folder.page()).at(0).at("tables").at("results.csv").as_string() == "a\n</script><b>\n");
}

TEST_CASE("Report page: files that no run writes are reported by name, whatever is wrong with them") {
  for (const char* text : {"", "[1, 2]", "{", "null", "{\"run\": }"}) {
    const Folder folder{"wrong"};
    folder.write("summary.json", text);
    CHECK_THROWS_WITH_AS((void)folder.page(), doctest::Contains("summary.json: isn't what a run wrote"),
                         UsageError);
  }
  const Folder odd{"odd"};
  odd.write("explain.json", R"({"paths":[3,{"path":7},{"path":[null,{"from_ps":"x"}]}]})");
  odd.write("links.csv", "packets");
  CHECK(odd.page().size() > 1000);
}

}  // namespace kbsim::page::test
