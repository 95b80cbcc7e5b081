// Two runs on one page: each has its half of the room, the first stands first, and what is cut is cut by
// rows.
#include <string>

#include <boost/json/array.hpp>
#include <doctest/doctest.h>

#include "folder.hpp"

namespace kbsim::page::test::shares_test {
namespace {

// Rows of 32 bytes.
std::string rows(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    std::string row = std::to_string(i) + ",1,";
    row.resize(31, 'x');
    text += row + "\n";
  }
  return text;
}

// Without a row in two, and without less than there is room for.
void check_cut(const std::string& kept, const std::string& all, std::size_t room) {
  CHECK(kept.ends_with('\n'));
  CHECK(all.starts_with(kept));
  CHECK(kept.size() <= room + 1);
  CHECK(kept.size() + 32 > room);
}

std::string table_of(const json::value& run, const char* name) {
  return std::string{run.at("tables").at(name).as_string()};
}

std::string with_quotes(std::string text) { return "\"" + text + "\""; }

std::string script(const std::string& title, const std::string& x, const std::string& y,
                   const std::string& logscale) {
  return "set title " + with_quotes(title) + "\nset xlabel " + with_quotes(x) + "\nset ylabel " +
         with_quotes(y) + "\n" + logscale + "plot 'x'\n";
}

}  // namespace

TEST_CASE("Report page: of two runs the first is the one that was asked for, the second the other") {
  const Folder one{"one"};
  const Folder other{"other"};
  one.write("config.resolved.yaml", "one: 1\n");
  other.write("config.resolved.yaml", "other: 2\n");
  const RunFolder against{.path = other.path()};
  const json::value both = data_in(one.page(&against));
  REQUIRE(both.as_array().size() == 2);
  CHECK(both.at(0).at("folder").as_string() == one.path().string());
  CHECK(both.at(0).at("config").as_string() == "one: 1\n");
  CHECK(both.at(1).at("folder").as_string() == other.path().string());
  CHECK(both.at(1).at("config").as_string() == "other: 2\n");
}

TEST_CASE("Report page: tables are cut between rows; each of two runs has half of the room") {
  const Folder run{"rows"};
  const std::string links = "link,packets,bytes\n" + rows(60'000);
  const std::string launches = "launch,kernel,x\n" + rows(30'000);
  run.write("links.csv", links);
  run.write("launches.csv", launches);
  const RunFolder against{.path = run.path()};
  const json::value alone = data_in(run.page()).at(0);
  check_cut(table_of(alone, "links.csv"), links, 1'200'000);
  check_cut(table_of(alone, "launches.csv"), launches, 300'000);
  CHECK(alone.at("left_out").as_array().size() == 2);
  const json::value both = data_in(run.page(&against));
  for (const json::value& half : both.as_array()) {
    check_cut(table_of(half, "links.csv"), links, 600'000);
    check_cut(table_of(half, "launches.csv"), launches, 150'000);
  }
}

TEST_CASE("Report page: spans, summaries and networks of two runs have half of a single run's room each") {
  struct Case {
    const char* file;
    const char* key;
    std::size_t room;  // of a single run
  };
  for (const Case& it : {Case{"spans.json", "spans", 5'000'000}, Case{"summary.json", "summary", 400'000},
                         Case{"network.json", "network", 400'000}}) {
    CAPTURE(it.file);
    const auto kept = [&](std::size_t bytes, bool beside) {
      const Folder run{"half"};
      std::string text = R"({"a":")";
      text.resize(bytes - 2, 'x');
      run.write(it.file, text + "\"}");
      const RunFolder against{.path = run.path()};
      return !data_in(run.page(beside ? &against : nullptr)).at(0).at(it.key).is_null();
    };
    CHECK(kept(it.room, false));
    CHECK(!kept(it.room + 1, false));
    CHECK(kept(it.room / 2, true));
    CHECK(!kept(it.room / 2 + 1, true));
  }
}

TEST_CASE("Report page: of many figures it has twelve, and of each of two runs six") {
  const Folder run{"figures"};
  for (int i = 10; i < 24; ++i) {
    run.write("f" + std::to_string(i) + ".gp", script("t", "x", "y", ""));
    run.write("f" + std::to_string(i) + ".csv", "x,y\n1,2\n");
  }
  const RunFolder against{.path = run.path()};
  const json::value alone = data_in(run.page()).at(0);
  CHECK(alone.at("figures").as_array().size() == 12);
  CHECK(alone.at("figures").at(11).at("name").as_string() == "f21");
  CHECK(alone.at("left_out") == json::array{"figures after the first 12"});
  const json::value both = data_in(run.page(&against));
  for (const json::value& half : both.as_array()) CHECK(half.at("figures").as_array().size() == 6);
}

TEST_CASE("Report page: a figure has its script's title, the labels of both axes and which is logarithmic") {
  const Folder run{"axes"};
  run.write("plain.gp", script("time", "bytes", "ns", ""));
  run.write("x.gp", script("rate", "size", "GB/s", "set logscale x 2\n"));
  run.write("y.gp", script("both", "a", "b", "set logscale y\n"));
  for (const char* name : {"plain", "x", "y"}) run.write(std::string{name} + ".csv", "1,2\n");
  const json::value figures = data_in(run.page()).at(0).at("figures");
  const auto figure = [](const char* name, const char* title, const char* x, const char* y, bool log_x,
                         bool log_y) {
    return json::object{{"name", name},   {"title", title}, {"x", x},        {"y", y},
                        {"log_x", log_x}, {"log_y", log_y}, {"csv", "1,2\n"}};
  };
  CHECK(figures == json::array{figure("plain", "time", "bytes", "ns", false, false),
                               figure("x", "rate", "size", "GB/s", true, false),
                               figure("y", "both", "a", "b", false, true)});
}

}  // namespace kbsim::page::test::shares_test
