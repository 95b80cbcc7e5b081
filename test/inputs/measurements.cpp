#include "kbsim/inputs/logs/measurements.hpp"

#include <array>
#include <filesystem>

#include <doctest/doctest.h>

namespace kbsim::inputs::measurements_test {
namespace {

constexpr const char* kOld = R"(# nThread 1 nGpus 8 minBytes 1 maxBytes 64
#                                                     out-of-place                       in-place
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
host:3442:3442 [0] NCCL INFO Launch mode Parallel
           0             0   float     sum    35.20    0.00    0.00    N/A    34.05    0.00    0.00    N/A
        1024           256   float     sum    36.07    0.03    0.05  1e-07    35.77    0.03    0.06  2e-07
        2048           512   float     sum    35.42    0.06    0.10    N/A
        4096          1024   float     sum     fast    0.11    0.20    N/A    36.11    0.11    0.20    N/A
        8192          2048   float     sum    35.91    0.23    0.40    N/A    36.07    0.23    0.41    N/A
# Avg bus bandwidth    : 0.1
)";

constexpr const char* kNew = R"(# Collective test starting: alltoall_perf
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024            32     float    none      -1    11.50    0.09    0.08      0    12.50    0.08    0.07    N/A
        2048            64     float    none      -1    12.00    0.17    0.15      0    13.00    0.16    0.14    N/A
        1024            32     float    none      -1    11.70    0.09    0.08      0    12.50    0.08    0.07    N/A
# Out of bounds values : 0 OK
)";

Measurements read(std::string content, Buffers buffers = Buffers::out_of_place) {
  return read_measurements(Text{"run.log", std::move(content)}, buffers);
}

}  // namespace

TEST_CASE("Measurements: a log with the older header, foreign lines and rows that aren't whole") {
  const Measurements found = read(kOld);
  REQUIRE(found.rows.size() == 3);
  CHECK(found.rows[0] == std::map<std::string, std::string>{{"size", "1024"},
                                                            {"count", "256"},
                                                            {"type", "float"},
                                                            {"redop", "sum"},
                                                            {"root", "-1"},
                                                            {"time", "36.07"},
                                                            {"algbw", "0.03"},
                                                            {"busbw", "0.05"},
                                                            {"wrong", "1e-07"}});
  CHECK(found.rows[1].at("time") == "35.42");  // its columns in place are blank
  CHECK(found.rows[2].at("time") == "35.91");
  CHECK(found.empty == 1);
  CHECK(found.skipped == std::vector<std::string>{"run.log:9:9: column time: 'fast' is no number"});
  CHECK(read(kOld, Buffers::in_place).skipped == std::vector<std::string>{"run.log:8:9: no time in place"});
}

TEST_CASE("Measurements: logs, tables and JSON may begin with a byte order mark") {
  const std::string mark = "\xef\xbb\xbf";
  CHECK(read(mark + kOld).rows.size() == 3);
  CHECK(read(mark + "size,time\n8,2\n").rows.front().at("size") == "8");
  CHECK(read(mark + R"([{"size": 8, "time": 2}])").rows.front().at("time") == "2");
}

TEST_CASE("Measurements: the second group of columns is the times in place") {
  const Measurements found = read(kOld, Buffers::in_place);
  REQUIRE(found.rows.size() == 3);
  CHECK(found.rows[0].at("time") == "35.77");
  CHECK(found.rows[0].at("wrong") == "2e-07");
  CHECK(found.rows[1].at("time") == "36.11");
}

TEST_CASE("Measurements: the line above the header says which group of columns is in place") {
  const std::string head =
      "#       size         count     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
      "#        (B)    (elements)     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n";
  const std::string row =
      "     1048576      33554432    10.0  149.42  130.74      0      20.0  149.42  130.74      0\n";
  const auto time = [&](const std::string& above, Buffers buffers) {
    return read(above + head + row, buffers).rows.at(0).at("time");
  };
  const std::string first =
      "#                                    in-place                       out-of-place\n";
  CHECK(time(first, Buffers::out_of_place) == "20.0");
  CHECK(time(first, Buffers::in_place) == "10.0");
  CHECK(time("", Buffers::out_of_place) == "10.0");
  CHECK(time("# out-of-place in-place\n", Buffers::in_place) == "20.0");
  CHECK(time("0: # Out-Of-Place In-Place\n", Buffers::in_place) == "20.0");
  for (const char* spelt :
       {"#   in place      out of place\n", "# INPLACE OUTOFPLACE\n",
        "# in_place (+ per-iteration) out_of_place\n", "# in\u2011place out\u2011of\u2011place\n"})
    CHECK(time(spelt, Buffers::out_of_place) == "20.0");
  CHECK(time("# Using devices\n#\n", Buffers::out_of_place) == "10.0");
  for (const char* unknown : {"# cold  warm\n", "# out-of-place out-of-place\n"}) {
    CHECK_THROWS_WITH_AS((void)time(unknown, Buffers::out_of_place),
                         doctest::Contains("expected out-of-place and in-place"), Unsupported);
  }
  const std::string one = "# in-place\n# size count type time algbw busbw #wrong\n8 2 float 5.5 1 1 0\n";
  CHECK(read(one, Buffers::in_place).rows.at(0).at("time") == "5.5");
  CHECK_THROWS_WITH_AS((void)read(one), "run.log:3:1: no time out of place", UsageError);
}

TEST_CASE("Measurements: numbers beside a blank group are of the header that they stand under") {
  const std::string head =
      "#                                    in-place                       out-of-place          \n"
      "#       size         count     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n";
  const std::string second =
      "  1073741824      33554432                                    7000.0  149.42  130.74      0\n"
      "   536870912      16777216                                    3500.0  149.42  130.74      0\n";
  const std::string first = "   268435456       8388608   1750.0  149.42  130.74      0\n";
  const Measurements out_of_place = read(head + second + first);
  REQUIRE(out_of_place.rows.size() == 2);
  CHECK(out_of_place.rows[0].at("time") == "7000.0");
  CHECK(out_of_place.rows[1].at("time") == "3500.0");
  CHECK(out_of_place.skipped == std::vector<std::string>{"run.log:5:4: no time out of place"});
  CHECK(read(head + second + first, Buffers::in_place).rows.at(0).at("time") == "1750.0");
}

TEST_CASE("Measurements: a row whose results were wrong is named, counted and left out") {
  const std::string head = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
  const Measurements found = read(head +
                                  "1024 256 float sum -1 11.5 1 1 3 12.5 1 1 0\n"
                                  "2048 512 float sum -1 12.5 1 1 N/A 13.5 1 1 1e+00\n");
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].at("size") == "2048");
  CHECK(found.wrong == 1);
  CHECK(found.skipped.at(0) == "run.log:2:1: #wrong is 3: its results were wrong, so its time isn't used");
  CHECK(read("size,time,#wrong\n8,5,0\n16,6,2\n").wrong == 1);
  CHECK(read("size,time,error\n8,5,0\n16,6,2e-7\n").wrong == 0);
  CHECK(read(R"([{"size": 8, "time": 5, "wrong": "0"}, {"size": 16, "time": 6, "wrong": 1}])").wrong == 1);
  CHECK(read(R"([{"size": 8, "time": 5, "nwrong": -1}, {"size": 16, "time": 6, "nwrong": 0}])").rows.size() ==
        1);
}

TEST_CASE("Measurements: texts before rows that change from line to line, colours and progress are no part") {
  const std::string row = "1024 256 float sum -1 11.5 1 1 0 12.5 1 1 0";
  const std::string other = "2048 512 float sum -1 13.5 1 1 0 14.5 1 1 0";
  const std::string head = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong";
  for (const auto& [before_head, before_row, before_other] :
       {std::array{"[1,0]<stdout>:", "[1,12]<stdout>:", "[1,0]<stdout>: "},
        std::array{"", "pod-a7f9: ", "pod-b2cc: "},
        std::array{"Mon 12:00:01 ", "Tue 00:00:09 ", "Wed 1:2:3 "},
        std::array{"w0 | ", "worker | ", "\x1b[36mw1\x1b[0m | "}, std::array{"", "\x1b[1;32m", "\x1b[0m"},
        std::array{"0: ", "3: ", ""}, std::array{"", "50%\r", "10%\r60% 7\r"}}) {
    CAPTURE(before_row);
    const Measurements found =
        read(before_head + head + "\n" + before_row + row + "\x1b[0m\n" + before_other + other + "\r\n");
    REQUIRE(found.rows.size() == 2);
    CHECK(found.rows[0].at("time") == "11.5");
    CHECK(found.rows[1].at("size") == "2048");
  }
}

TEST_CASE("Measurements: times are in the unit of the line below the header") {
  const auto time = [](const std::string& unit) {
    return read("# size count type redop root time algbw busbw #wrong\n# (B) (elements) (" + unit +
                ") (GB/s) (GB/s)\n1024 256 float sum -1 1.5 1 1 0\n")
        .rows.at(0)
        .at("time");
  };
  CHECK(time("us") == "1.5");
  CHECK(time("ms") == "1500");
  CHECK(time("ns") == "0.0015");
  CHECK(time("s") == "1500000");
  CHECK_THROWS_WITH_AS((void)time("cycles"), doctest::Contains("run.log:2:1: sizes in (B) and times in (?)"),
                       Unsupported);
  CHECK_THROWS_AS(
      (void)read("# size count type time algbw busbw #wrong\n# (KB) (elements) (us)\n1 2 float 1 1 1 0\n"),
      Unsupported);
}

TEST_CASE("Measurements: a row that lacks its last cell has no other cell's number as its time") {
  const std::string head = "#  size  count   type  redop  root    time  algbw  busbw  #wrong\n";
  const Measurements found = read(head +
                                  "   1024    256  float   none     3   11.50   1.00   0.00\n"
                                  "   2048    512  float   none     3   12.50   1.00   0.00       0\n"
                                  "   4096   1024  float                13.50   1.00   0.00       0\n");
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[0].at("time") == "12.50");
  CHECK(found.rows[1].at("time") == "13.50");
  CHECK(found.skipped == std::vector<std::string>{"run.log:2:4: 8 columns, expected 9 as in the header"});
}

TEST_CASE("Measurements: the first versions' header, whose times are milliseconds") {
  const std::string log =
      "#                                            out-of-place                    in-place\n"
      "#  bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      "
      "res\n"
      "10000000      10000000    char     sum    0.064  157.38   0.00    0e+00    0.005  2083.77   0.00    "
      "0e+00\n"
      "20000000       5000000     int    prod    0.068  147.13   0.00    1e-05    0.005  1972.39   0.00    "
      "0e+00\n";
  const Measurements found = read(log);
  REQUIRE(found.rows.size() == 2);
  CHECK(std::stod(found.rows[0].at("time")) == doctest::Approx(64.0));
  CHECK(found.rows[0].at("size") == "10000000");
  CHECK(found.rows[0].at("redop") == "sum");
  CHECK(std::stod(read(log, Buffers::in_place).rows[1].at("time")) == doctest::Approx(5.0));
}

TEST_CASE("Measurements: the CPU's time of calls is no time of a collective") {
  CHECK_THROWS_WITH_AS(
      (void)read(
          "x\n# size count type redop root cputime algbw busbw #wrong\n1024 256 float sum -1 1.5 1 1 0\n"),
      doctest::Contains("run.log:2:1: cputime is how long a CPU issues the calls"), Unsupported);
}

TEST_CASE("Measurements: columns of each iteration's times beside the groups, as -I writes them") {
  const std::string log =
      "#            in-place (+ per-iteration)                    out-of-place (+ per-iteration)\n"
      "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv "
      "time algbw busbw #wrong i_min i_max i_p99 i_cv\n"
      "1024 256 float sum -1 11.5 1 1 0 10.1 12.1 12.0 3.1 12.5 1 1 2 11.1 13.1 13.0 2.1\n";
  CHECK(read(log, Buffers::in_place).rows.at(0).at("time") == "11.5");
  CHECK_THROWS_WITH_AS((void)read(log), doctest::Contains("#wrong is 2"), UsageError);
}

TEST_CASE("Measurements: a line that looks like a row and isn't read is named with its place") {
  const Measurements found = read(
      "# size count type redop root time algbw busbw #wrong\n1024 256 float sum -1 11.5 1 1 0\n"
      "host NCCL INFO Channel 00/02 : 0 1 2 3 4 5 6 7\n"
      "x: 2K 512 float sum -1 12.5 1.5 1 0 7\n2048 512 float sum\n");
  CHECK(found.rows.size() == 1);
  REQUIRE(found.skipped.size() == 2);
  CHECK(found.skipped[0] == "run.log:4:1: it looks like a row, and isn't one of the header's");
  CHECK(found.skipped[1] == "run.log:5:1: 4 columns, expected 9 as in the header");
}

TEST_CASE("Measurements: of two rows on one line none is read, and the line is named") {
  const std::string row = " float sum -1 11.5 1.5 1.5 0";
  const Measurements found = read("# size count type redop root time algbw busbw #wrong\n512 128" + row +
                                  "\n1024 256" + row + "    2048 512" + row + "\n");
  CHECK(found.rows.size() == 1);
  REQUIRE(found.skipped.size() == 1);
  CHECK(found.skipped[0].starts_with("run.log:3:"));
  CHECK(found.skipped[0].ends_with(": a second row on its line; none of them is read"));
}

TEST_CASE("Measurements: CSV may have no-break spaces and separators at the ends of its lines") {
  const Measurements found = read("size,\u00a0time,,\r\n8,5,,\r\n16,\u00a06\u00a0,,\r\n");
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[1].at("time") == "6");
}

TEST_CASE("Measurements: a log with the newer header; the first time of a size counts") {
  const Measurements found = read(kNew);
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[0].at("time") == "11.50");
  CHECK(found.rows[0].at("redop") == "none");
  CHECK(found.rows[0].at("root") == "-1");
  CHECK(found.skipped == std::vector<std::string>{"run.log:7:9: another time of the same size"});
  CHECK(read(kNew, Buffers::in_place).rows[1].at("time") == "13.00");
}

TEST_CASE("Measurements: the ranks that launchers put before each line are no part of it") {
  for (const std::string label :
       {"[1,0]<stdout>:", "[1,0]<stdout>: ", "0: ", " 12: ", "node07: ", "nccl-launcher-1  | ", "    ",
        "(head, rank=0, pid=3808) [1,0]<stdout>:", "2024-05-01T12:00:00.5Z "}) {
    CAPTURE(label);
    std::string log;
    for (std::size_t at = 0; at < std::string_view{kNew}.size();) {
      const std::size_t end = std::string_view{kNew}.find('\n', at) + 1;
      log += label + std::string{kNew, at, end - at};
      at = end;
    }
    const Measurements found = read(log);
    REQUIRE(found.rows.size() == 2);
    CHECK(found.rows[1].at("time") == "12.00");
    const std::size_t column = 9 + label.size();
    CHECK(found.skipped == std::vector<std::string>{"run.log:7:" + std::to_string(column) +
                                                    ": another time of the same size"});
  }
}

TEST_CASE("Measurements: digits of a label differ from line to line; lines without it have none") {
  const std::string log =
      "12:00:00.1 #  Rank  0 Pid 7 on host device  0\n"
      "12:00:00.25 #  Rank  1 Pid 7 on host device  1\n"
      "host:3442 [0] NCCL INFO Connected\n"
      "12:00:01.5 # size count type time algbw busbw #wrong\n"
      "12:00:09.75   1024 256 float 11.5 1 1 0\n"
      "12:10:10.125  2048 512 float 12.5 1 1 0\n"
      "  4096 1024 float 13.5 1 1 0\n";
  const Measurements found = read(log);
  REQUIRE(found.rows.size() == 3);
  CHECK(found.rows[0].at("size") == "1024");
  CHECK(found.rows[1].at("time") == "12.5");
  CHECK(found.rows[2].at("size") == "4096");
  CHECK(found.rows[0].at("ranks") == "2");
  // A label has 256 bytes at most, so that a long line of many '#' is read once, not once for each.
  const std::string line = " # size count type time algbw busbw #wrong\n1024 256 float 11.5 1 1 0\n";
  CHECK(read(std::string(255, 'x') + line).rows.size() == 1);
  CHECK(read(std::string(256, 'x') + line).columns.size() == 1);  // a table
  // Digits alone are no label: rows begin with them.
  CHECK(read("7 # size count type time algbw busbw #wrong\n1024 256 float 11.5 1 1 0\n").rows[0].at("size") ==
        "1024");
}

TEST_CASE("Measurements: a column after both groups, as #iters, is none of them") {
  const std::string log =
      "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong #iters\n"
      "1024 256 float sum -1 11.5 1 1 0 12.5 1 1 0 20\n";
  CHECK(read(log).rows.at(0).at("time") == "11.5");
  CHECK(read(log, Buffers::in_place).rows.at(0).at("time") == "12.5");
  CHECK(read(log).rows.at(0).at("root") == "-1");
}

TEST_CASE("Measurements: cycles of rccl-tests' table: the first time of a size counts") {
  const Measurements found = read(
      "numCycle,collective,ranks,size,type,redop,inplace,time,algbw,busbw,#wrong\n"
      "0,AllReduce,4,1024,float,sum,0,20,1,1,0\n0,AllReduce,4,1024,float,sum,1,21,1,1,0\n"
      "0,AllGather,4,1024,float,sum,0,25,1,1,0\n1,AllReduce,4,1024,float,sum,0,22,1,1,0\n");
  CHECK(found.rows.size() == 2);
  CHECK(found.skipped == std::vector<std::string>{"run.log:5: another time of the same size"});
}

TEST_CASE("Measurements: a collective without operation leaves its column empty in older logs") {
  const Measurements found = read(
      "# size count type redop time algbw busbw error time algbw busbw error\n"
      "  32   1 float         89.00 0.00 0.00 N/A 85.13 0.00 0.00 N/A\n");
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].at("redop") == "none");
  CHECK(found.rows[0].at("time") == "89.00");
}

TEST_CASE("Measurements: CSV by names of columns; a row that isn't whole is named by its line") {
  const Measurements found = read(
      "size,count,type,redop,root,time,algbw,busbw,wrong\r\n1024,256,float,sum,-1,\"36.0\",0.03,0.05,0\r\n"
      "2048,512,float\n# by hand\n4096,1024,float,sum,-1,-3,0,0,0\n");
  CHECK(found.columns.size() == 9);
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].at("time") == "36.0");
  REQUIRE(found.skipped.size() == 2);
  CHECK(found.skipped[0] == "run.log:3: 3 cells, expected 9 as in the first line");
  CHECK(found.skipped[1].starts_with("run.log:5: column time: must be from"));
}

TEST_CASE("Measurements: a table may have semicolons or tabs, and then decimal commas") {
  const Measurements found =
      read("\xef\xbb\xbf\"size\";\"time (us)\";algbw\r\n1024;\"36,07\";0,03\r\n2048;35.4;0,06\r\n");
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[0] ==
        std::map<std::string, std::string>{{"size", "1024"}, {"time", "36.07"}, {"algbw", "0.03"}});
  CHECK(found.rows[1].at("time") == "35.4");
  CHECK(read("size\ttime\n1024\t36,07\n").rows.at(0).at("time") == "36.07");
  CHECK(read("size,name\tx,time\n1024,a,36.07\n").rows.at(0).at("time") == "36.07");
}

TEST_CASE("Measurements: a comma that may stand for two things is reported, not guessed") {
  CHECK_THROWS_WITH_AS((void)read("size,time\n1024,\"36,07\"\n"),
                       "run.log:2: column time: '36,07' is no number (numbers have a point)", UsageError);
  CHECK_THROWS_WITH_AS((void)read("size;time\n1,024;36,07\n"),
                       "run.log:2: column size: '1,024' is no number (numbers have a point)", UsageError);
  CHECK_THROWS_WITH_AS((void)read("size;time\n1024;1.036,07\n"),
                       "run.log:2: column time: '1.036,07' is no number (numbers have a point)", UsageError);
  CHECK_THROWS_WITH_AS((void)read("size;time\n1.024;36,07\n"),
                       "run.log:2: column size: '1.024' is no whole number", UsageError);
  CHECK(read("size;time\n1024.0;36,07\n").rows.size() == 1);
  CHECK_THROWS_WITH_AS((void)read("size,time\n1024,36,07\n"),
                       "run.log:2: 3 cells, expected 2 as in the first line", UsageError);
}

TEST_CASE("Measurements: whether a file says which times are in place") {
  CHECK(read(kOld).of_either_buffers);
  CHECK(read("size,inPlace,time\n8,1,5\n8,0,6\n").of_either_buffers);
  CHECK(read("size,inPlace,time\n8,1,5\n8,0,6\n", Buffers::in_place).rows.at(0).at("time") == "5");
  CHECK(read(R"([{"size": 8, "in_place": {"time": 5}, "out_of_place": {"time": 6}}])").of_either_buffers);
  CHECK(!read("size,time\n8,5\n").of_either_buffers);
  CHECK(!read("# size count type redop time algbw busbw error\n 8 2 float sum 5 1 1 0\n").of_either_buffers);
  CHECK(!read(R"([{"size": 8, "time": 5}])").of_either_buffers);
}

TEST_CASE("Measurements: JSON of nccl-tests has groups, of rccl-tests rows in place") {
  const char* nccl = R"({"version": "2.17", "config": {"nthreads": 1}, "results": [
    {"size": 1024, "count": 256, "type": "float", "redop": "sum", "root": -1,
     "out_of_place": {"time": 36.5, "alg_bw": 0.03, "bus_bw": 0.05, "nwrong": 0},
     "in_place": {"time": 35.5, "alg_bw": 0.03, "bus_bw": 0.05, "nwrong": 0}},
    {"size": 2048}, 7]})";
  const Measurements found = read(nccl);
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].at("time") == "36.5");
  CHECK(found.rows[0].at("busbw") == "0.05");
  CHECK(found.skipped.size() == 2);
  CHECK(found.skipped[1] == "run.log: row 3: not an object");
  CHECK(read(nccl, Buffers::in_place).rows[0].at("time") == "35.5");

  const char* rccl = R"([{"size": 8, "type": "float", "inPlace": 0, "time": 5.0, "algBw": 1, "wrong": "0"},
                         {"size": 8, "type": "float", "inPlace": 1, "time": 6.0, "algBw": 1, "wrong": "0"}])";
  CHECK(read(rccl).rows[0].at("time") == "5");
  CHECK(read(rccl, Buffers::in_place).rows[0].at("time") == "6");
}

TEST_CASE("Measurements: JSON that lists its devices before its results, one a rank") {
  const Measurements found =
      read(R"({"args": ["x"], "config": {"ngpus": 2, "devices": [{"rank": 0}, {"rank": 1}]},
    "results": {"rows": [{"size": 1024, "root": "-1", "out_of_place": {"time": 36.5}, "in_place": {"time": 35}}]}})");
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].at("time") == "36.5");
  CHECK(found.rows[0].at("ranks") == "2");
}

TEST_CASE("Measurements: a log that lists its ranks has a column of their number") {
  const std::string ranks =
      "#  Rank  0 Group  0 Pid   4213 on   node001 device  0 [0x10] NVIDIA A100\n"
      "#  Rank  1 Group  0 Pid   4214 on   node002 device  0 [0x10] NVIDIA A100\n";
  CHECK(read(ranks + kNew).rows[0].at("ranks") == "2");
  CHECK(!read(kNew).rows[0].contains("ranks"));
}

TEST_CASE("Measurements: a time of day after the last column is none of the columns") {
  const char* stamped =
      "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong timestamp\n"
      "1024 256 float sum -1 14.5 0.07 0.12 0 14.2 0.07 0.13 0 2025-02-11 10:00:01\n";
  const Measurements found = read(stamped);
  CHECK(found.skipped.empty());
  CHECK(found.rows.at(0).at("time") == "14.5");
  CHECK(read(stamped, Buffers::in_place).rows.at(0).at("time") == "14.2");
}

TEST_CASE("Measurements: what is no table is refused with its place") {
  CHECK_THROWS_WITH_AS((void)read("[{\"size\": 1,, }]"), doctest::Contains("run.log:1:13: not JSON"),
                       InputError);
  CHECK_THROWS_WITH_AS((void)read("{}"), doctest::Contains("run.log:1:1: no rows"), InputError);
  CHECK_THROWS_WITH_AS((void)read(""), doctest::Contains("run.log: no rows"), UsageError);
  CHECK_THROWS_WITH_AS((void)read("size,time,size\n"), "run.log:1:11: two columns called 'size'", InputError);
  CHECK_THROWS_WITH_AS((void)read("size,time\n1,fast\n"), "run.log:2: column time: 'fast' is no number",
                       UsageError);
  CHECK_THROWS_AS((void)read("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["), InputError);
}

TEST_CASE("Measurements: logs of an 8-GPU machine, where they are there") {
  const std::filesystem::path folder =
      std::filesystem::path{KBSIM_SOURCE_DIR} / "../shared/inputs/nccl-tests";
  if (!std::filesystem::exists(folder)) return;
  for (const char* file : {"nccl_allreduce.log", "nccl_alltoall.log"}) {
    const Measurements found = read_measurements(Text::read(folder / file));
    CHECK(found.rows.size() > 20);
    CHECK(found.skipped.empty());
  }
}

}  // namespace kbsim::inputs::measurements_test
