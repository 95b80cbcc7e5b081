#include "kbsim/sweep/records.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "kbsim/sweep/run_points.hpp"

#include "files.hpp"

namespace kbsim::sweep::test::records_test {
namespace {

namespace fs = std::filesystem;

Record record(const std::string& key) {
  return {.request = "r" + key,
          .key = key,
          .exit = 8,
          .digest = "0123456789abcdef",
          .message = "a \"deadlock\"\n\tof two",
          .events = 12345678901234,
          .seconds = 0.1,
          .host = "h",
          .document = R"({"a":1})"};
}

fs::path empty_folder(const std::string& name) {
  const fs::path folder = fs::temp_directory_path() / ("kbsim-records-" + name + std::to_string(getpid()));
  fs::remove_all(folder);
  fs::create_directories(records_folder(folder));
  return folder;
}

}  // namespace

TEST_CASE("Record: a line holds all of it, and nothing but the whole line is one") {
  const std::string line = to_line(record("k"));
  const std::optional<Record> back = record_in(line.substr(0, line.size() - 1));
  REQUIRE(back);
  CHECK(to_line(*back) == line);
  CHECK(back->message == record("k").message);
  for (std::size_t n = 0; n + 1 < line.size(); ++n) CHECK_FALSE(record_in(line.substr(0, n)));
  for (std::size_t i = 0; i + 1 < line.size(); i += 7) {
    std::string other = line.substr(0, line.size() - 1);
    other[i] = other[i] == 'x' ? 'y' : 'x';
    CHECK_FALSE(record_in(other));
  }
}

TEST_CASE("Cache: a torn last line is passed over, a damaged one is counted, others are found") {
  const fs::path folder = empty_folder("torn");
  const std::string file = (records_folder(folder) / "a.records").string();
  const std::string line = to_line(record("one"));
  std::string damaged = to_line(record("two"));
  damaged[20] ^= 1;
  std::ofstream{file} << line << damaged << to_line(record("three")) << line.substr(0, 40);
  const Cache cache{folder};
  CHECK(cache.damaged() == 1);
  CHECK(cache.of_request("rone") != nullptr);
  CHECK(cache.of_key("two") == nullptr);
  CHECK(cache.of_key("three")->events == 12345678901234);
  fs::remove_all(folder);
}

TEST_CASE("Cache: another request of a known key has its result; what is done counts before a limit") {
  Cache cache;
  cache.add(record("k"));
  cache.add({.request = "other", .key = "k", .known = true});
  REQUIRE(cache.of_request("other") != nullptr);
  CHECK(cache.of_request("other")->digest == record("k").digest);
  Record late = record("k");
  late.end = End::timed_out;
  late.limit = 5.0;
  cache.add(late);
  CHECK(cache.of_key("k")->end == End::done);
  late.key = "slow";
  cache.add(late);
  const PoolOptions short_time{.timeout = 4.0};
  const PoolOptions long_time{.timeout = 6.0};
  CHECK(stands(*cache.of_key("slow"), short_time));
  CHECK_FALSE(stands(*cache.of_key("slow"), long_time));
  CHECK_FALSE(stands(*cache.of_key("slow"), PoolOptions{}));
}

TEST_CASE("RecordFile: records of one file follow each other; a folder that isn't there is reported") {
  const fs::path folder = empty_folder("append");
  {
    RecordFile file{new_record_file(folder)};
    file.append(record("a"));
    file.append(record("b"));
  }
  CHECK(Cache{folder}.records().size() == 2);
  fs::remove_all(folder);
  RecordFile lost{new_record_file(folder)};
  CHECK_THROWS_AS(lost.append(record("c")), UsageError);
}

}  // namespace kbsim::sweep::test::records_test
