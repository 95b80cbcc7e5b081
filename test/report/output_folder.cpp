// The folder that --out names, of one run.
#include "kbsim/report/output_folder.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/folder_lock.hpp"
#include "kbsim/report/gnuplot.hpp"
#include "kbsim/report/output_file.hpp"

#include "files.hpp"
#include "send_signal.hpp"

using namespace kbsim;
using namespace kbsim::report;
using namespace kbsim::test;
namespace fs = std::filesystem;

TEST_CASE("OutputFolder: is made, is one run's, and is free again when that has ended") {
  const fs::path place = fresh_place("output_folder") / "below";
  {
    const OutputFolder folder{place};
    folder.write("summary.json", boost::json::object{{"n", 1}});
    CHECK(contents(place / "summary.json") == "{\"n\":1}\n");
    const std::string refusal = "--out " + place.string() + ": another run (process " +
                                std::to_string(getpid()) +
                                ") is writing there; wait for it, or name another folder";
    CHECK_THROWS_WITH_AS(OutputFolder{place}, refusal.c_str(), UsageError);
  }
  CHECK(!fs::exists(place / ".kbsim.lock"));
  CHECK_NOTHROW(OutputFolder{place});
  CHECK(folder_named("") == nullptr);
}

TEST_CASE("FolderLock: some share it, and an exclusive one waits for the last of them") {
  const fs::path place = fresh_place("shared_folder");
  fs::create_directories(place);
  using Mode = FolderLock::Mode;
  {
    const FolderLock one{place, Mode::shared};
    {
      const FolderLock other{place, Mode::shared};
      CHECK_THROWS_AS(FolderLock{place}, UsageError);
    }
    CHECK(fs::exists(place / ".kbsim.lock"));
    CHECK_THROWS_AS(FolderLock{place}, UsageError);
  }
  CHECK(!fs::exists(place / ".kbsim.lock"));
  const FolderLock alone{place};
  CHECK_THROWS_AS((FolderLock{place, Mode::shared}), UsageError);
}

TEST_CASE(
    "FolderLock: half-written files of a killed run go; files that are being written, or named so, stay") {
  const fs::path place = fresh_place("half_written");
  fs::create_directories(place / ".kbsim-3-3.part");
  for (const char* name : {".kbsim-1-0.part", ".kbsim-1-12.part", ".kbsim-notes.part", "kbsim-1-0.part"})
    std::ofstream{place / name} << "half";
  fs::create_symlink("kbsim-1-0.part", place / ".kbsim-4-4.part");
  write_file(place / "whole", [&](const FileSink& sink) {
    sink("be");
    { const FolderLock lock{place, FolderLock::Mode::shared}; }
    sink("gun");
  });
  CHECK(contents(place / "whole") == "begun");
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator{place}) left.push_back(entry.path().filename().string());
  std::ranges::sort(left);
  CHECK(left == std::vector<std::string>{".kbsim-3-3.part", ".kbsim-4-4.part", ".kbsim-notes.part",
                                         "kbsim-1-0.part", "whole"});
}

TEST_CASE("require_folder: a folder where a run writes a file is reported before the run") {
  const fs::path place = fresh_place("folder_in_the_way");
  fs::create_directories(place / "results.csv");
  const std::string refusal =
      "--out " + place.string() + ": results.csv is a folder there, and a run writes a file of that name";
  CHECK_THROWS_WITH_AS(require_folder(place), refusal.c_str(), UsageError);
}

TEST_CASE("draw: half a picture is taken away and named") {
  const fs::path place = fresh_place("half_a_picture");
  fs::create_directories(place);
  std::ofstream{place / "a.gp"} << "print 1\n";
  std::ofstream{place / "a.svg"} << "<svg><g></g></svg>\n";
  std::ofstream{place / "a.png"} << "\x89PNG and then nothing";
  const std::string cut = "can't write '" + (place / "a.png").string() + "': gnuplot left half of it";
  CHECK_THROWS_WITH_AS((void)draw(place / "a.gp"), doctest::Contains(cut.c_str()), UsageError);
  CHECK(fs::exists(place / "a.svg"));
  CHECK(!fs::exists(place / "a.png"));
  CHECK(draw(place / "a.gp"));
}

TEST_CASE("require_folder: reports before a run the error of making the folder, and makes nothing") {
  const fs::path place = fresh_place("output_folder");
  CHECK_NOTHROW(require_folder(place / "a" / "b"));
  CHECK(!fs::exists(place));
  fs::create_directories(place);
  std::ofstream{place / "file"} << "in the way";
  const std::string refusal = "--out " + (place / "file" / "b").string() + ": " + (place / "file").string() +
                              " is a file, expected a folder, which may be new";
  CHECK_THROWS_WITH_AS(require_folder(place / "file" / "b"), refusal.c_str(), UsageError);
}

TEST_CASE("require_output: a file in a folder yet to be made is fine; one that --out writes is not") {
  const fs::path place = fresh_place("output_folder");
  const OutputPlan plan{.out = place.string()};
  CHECK_NOTHROW(require_output("-J", place / "nccl.json", plan));
  CHECK_NOTHROW(require_output("-J", place / "nccl.json", {.out = place.string() + "/"}));
  const std::string refusal = "-J " + (place / "results.csv").string() + ": --out writes a file of that name";
  CHECK_THROWS_WITH_AS(require_output("-J", place / "results.csv", plan), refusal.c_str(), UsageError);
  CHECK_THROWS_AS(require_output("-J", place / "elsewhere" / "nccl.json", plan), UsageError);
  CHECK_THROWS_WITH_AS(require_output("-J", "/dev/stdout", {.json = true}),
                       "-J /dev/stdout beside --json: stdout is one JSON document", UsageError);
}

TEST_CASE("to_csv: a column a key, NaN for what isn't there, twelve digits of a number") {
  const boost::json::array rows{boost::json::object{{"size", 8}, {"time", 1.0 / 3.0}, {"type", "half"}},
                                boost::json::object{{"size", 16}, {"time", nullptr}, {"type", "float"}}};
  CHECK(to_csv(rows) == "size,time,type\n8,0.333333333333,half\n16,NaN,float\n");
  CHECK(to_csv({}).empty());
}

TEST_CASE("to_csv: a text with a comma, a quote or a line's end is one cell") {
  const boost::json::array rows{boost::json::object{{"what", "4 -> 7 %, 2 -> 1 %"}, {"n", 1}},
                                boost::json::object{{"what", "found '0',\nexpected \"1\""}, {"n", 2}}};
  CHECK(to_csv(rows) == "what,n\n\"4 -> 7 %, 2 -> 1 %\",1\n\"found '0', expected \"\"1\"\"\",2\n");
}

namespace {

// An earlier run's results, with a file that no run writes and a folder in the way of one.
fs::path earlier_run(const std::string& name) {
  const fs::path place = fresh_place(name);
  fs::create_directories(place / "links.csv");
  std::ofstream{place / "run.json"} << "earlier";
  std::ofstream{place / "report.html"} << "earlier page";
  std::ofstream{place / "notes.txt"} << "mine";
  return place;
}

bool is_as_it_was(const fs::path& place) {
  return contents(place / "run.json") == "earlier" && contents(place / "report.html") == "earlier page" &&
         contents(place / "notes.txt") == "mine" && fs::is_directory(place / "links.csv") &&
         !fs::exists(place / "PARTIAL") && !fs::exists(place / ".kbsim.earlier") &&
         !fs::exists(place / "config.resolved.yaml");
}

}  // namespace

TEST_CASE("OutputFolder: a run that is refused leaves all as it was") {
  const fs::path place = earlier_run("refused_run");
  const OutputFolder folder{place};
  const auto refused = [&]() -> ExitCode {
    CHECK(!fs::exists(place / "run.json"));
    CHECK(fs::exists(place / "PARTIAL"));
    folder.write_configuration("w: 1\n");
    throw UsageError{"no such thing"};
  };
  CHECK_THROWS_AS(folder.during_run(refused), UsageError);
  CHECK(is_as_it_was(place));
}

TEST_CASE("OutputFolder: a run that fails or is refused after its results leaves nothing of an earlier one") {
  const fs::path place = earlier_run("failed_run");
  const OutputFolder folder{place};
  CHECK_THROWS_AS(folder.during_run([]() -> ExitCode { throw KernelFault{"stuck"}; }), KernelFault);
  CHECK(fs::exists(place / "PARTIAL"));
  CHECK(!fs::exists(place / "run.json"));
  CHECK(!fs::exists(place / "report.html"));
  CHECK(!fs::exists(place / ".kbsim.earlier"));
  CHECK(contents(place / "notes.txt") == "mine");
  const std::vector<std::string> words{"--load", "1"};
  const auto asked_wrongly = [&]() -> ExitCode {
    folder.write_run({.command = "traffic", .arguments = words, .configuration = "w: 1\n"}, {});
    throw UsageError{"there is 1"};
  };
  CHECK_THROWS_AS(folder.during_run(asked_wrongly), UsageError);
  CHECK(!fs::exists(place / "PARTIAL"));
  CHECK(contents(place / "config.resolved.yaml") == "w: 1\n");
  CHECK(contents(place / "run.json").find("\"traffic\"") != std::string::npos);
}

namespace {

// No file can grow while it lives, as on a full file system.
class NoRoom {
 public:
  NoRoom() : before_{std::signal(SIGXFSZ, SIG_IGN)} {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit_) == 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = limit_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &none) == 0);
  }
  ~NoRoom() {
    (void)setrlimit(RLIMIT_FSIZE, &limit_);
    (void)std::signal(SIGXFSZ, before_);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

 private:
  void (*before_)(int);
  rlimit limit_{};
};

}  // namespace

TEST_CASE("OutputFolder: a run whose record finds no room leaves all files of an earlier one") {
  const fs::path place = earlier_run("no_room");
  const OutputFolder folder{place};
  const std::vector<std::string> words{"--load", "1"};
  const auto without_room = [&]() -> ExitCode {
    folder.write("summary.json", std::string{"{}"});
    const NoRoom none;
    folder.write_run({.command = "traffic", .arguments = words, .configuration = "w: 1\n"}, {});
    return ExitCode::ok;
  };
  CHECK_THROWS_AS(folder.during_run(without_room), UsageError);
  CHECK(is_as_it_was(place));
  CHECK(!fs::exists(place / "summary.json"));
}

TEST_CASE("OutputFolder: an earlier run's files that can't be set aside stay, and nothing runs") {
  constexpr std::size_t kLongestPath = 4095;  // the path of .kbsim.earlier fits, those of its files don't
  fs::path place = fresh_place("nowhere_aside");
  const std::size_t length = kLongestPath - std::string{"/.kbsim.earlier/run"}.size();
  while (place.string().size() < length - 1)
    place /= std::string(std::min<std::size_t>(200, length - 1 - place.string().size()), 'a');
  fs::create_directories(place);
  std::ofstream{place / "run.json"} << "earlier";
  const OutputFolder folder{place};
  const auto run = [&]() -> ExitCode {
    FAIL_CHECK("it ran");
    return ExitCode::ok;
  };
  CHECK_THROWS_WITH_AS(folder.during_run(run),
                       doctest::Contains("an earlier run's files stay: File name too long"), UsageError);
  CHECK(contents(place / "run.json") == "earlier");
  CHECK(!fs::exists(place / ".kbsim.earlier"));
}

TEST_CASE("OutputFolder: a signal as a run begins doesn't end the process with an earlier run set aside") {
  const fs::path place = earlier_run("signal_at_once");
  const OutputFolder folder{place};
  const auto interrupted = [&]() -> ExitCode {
    kbsim::test::send_stop(SIGTERM);
    CHECK(stop_signal() == SIGTERM);
    throw Interrupted{"interrupted"};
  };
  CHECK_THROWS_AS(folder.during_run(interrupted), Interrupted);
  CHECK(fs::exists(place / "PARTIAL"));
  CHECK(!fs::exists(place / ".kbsim.earlier"));
}

TEST_CASE("run_into: without a folder it runs all the same") {
  CHECK(run_into(nullptr, [] { return ExitCode::wrong_values; }) == ExitCode::wrong_values);
}
