#include "kbsim/sweep/tables.hpp"

#include <filesystem>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/utf8.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/sweep/analysis.hpp"

#include "files.hpp"

namespace kbsim::sweep::test::tables_test {
namespace {

namespace fs = std::filesystem;

// A sweep of n and algorithm, whose latency is n for a ring and 10 for a tree, and whose cost is 100 / n; the
// last point of a tree has failed, and that of a star hasn't run.
class Swept {
 public:
  explicit Swept(const std::string& name)
      : folder_{fs::temp_directory_path() / fmt::format("kbsim_swept_{}_{}", name, getpid())} {
    fs::remove_all(folder_);
    fs::create_directories(records_folder(folder_));
    Draft draft{.bench = "b"};
    draft.vary("x.n", {.text = "4..32*2"});
    draft.vary("--algorithm", {.text = "ring,tree,star"});
    const Plan plan = plan_of(draft);
    RecordFile file{new_record_file(folder_)};
    std::vector<std::string> requests;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
      requests.push_back(fmt::format("r{}", i));
      if (plan.points[i][1] < 2) file.append(record(plan, i));
    }
    CHECK(write_plan(folder_, plan, requests));
    CHECK_FALSE(write_plan(folder_, plan, requests));
  }
  ~Swept() { fs::remove_all(folder_); }
  Swept(const Swept&) = delete;
  Swept& operator=(const Swept&) = delete;
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  static Record record(const Plan& plan, std::size_t i) {
    const double n = std::stod(values_of(plan, plan.points[i])[0]);
    const bool ring = plan.points[i][1] == 0;
    Record record{.request = fmt::format("r{}", i), .key = fmt::format("k{}", i)};
    if (!ring && n == 32.0) {
      record.exit = 8;
      record.message = "deadlock, of two";
    } else {
      record.document =
          fmt::format(R"({{"result":{{"latency_ns":{},"cost":{}}}}})", ring ? n : 10.0, 100.0 / n);
    }
    return record;
  }
  fs::path folder_;
};

// All points of a sweep, whose t are 1, 2 and so on.
Tables numbered(const Draft& draft) {
  static const Record done{.key = "k"};
  Tables tables{.plan = plan_of(draft), .cache = {}, .rows = {}};
  for (std::size_t i = 0; i < tables.plan.points.size(); ++i)
    tables.rows.push_back({.point = i,
                           .values = values_of(tables.plan, tables.plan.points[i]),
                           .key = "k",
                           .record = &done,
                           .metrics = {{.name = "t", .unit = "s", .value = static_cast<double>(i + 1)}}});
  return tables;
}

}  // namespace

TEST_CASE("metrics_in: results by name with their units; rows by the column that distinguishes them") {
  const auto found =
      metrics_in(R"({"rows":[{"type":"half","size":8,"time":1.5},{"type":"half","size":64,"time":2.5}],)"
                 R"("messages":{"messages":3},"run":{"simulated_ps":1500}})");
  REQUIRE(found.size() == 6);
  CHECK(found[1].name == "time[size=8]");
  CHECK(found[1].unit == "us");
  CHECK(found[3].value == 2.5);
  CHECK(found[4].name == "messages.messages");
  CHECK(found[5].name == "run.simulated_ns");
  CHECK(found[5].value == 1.5);
  const auto one = metrics_in(R"({"result":{"a":{"b_gbs":2,"word":"x","is":true}},"rows":[{"time":1}]})");
  REQUIRE(one.size() == 2);
  CHECK(one[0].name == "a.b_gbs");
  CHECK(one[0].unit == "GB/s");
  CHECK(one[1].name == "time");
  CHECK(metrics_in("[").empty());
  CHECK(metrics_in("").empty());
}

TEST_CASE("metrics_in: a rate has the unit of what it counts, and a qualifier after a unit changes none") {
  for (const auto& [name, unit] :
       std::initializer_list<std::pair<const char*, const char*>>{{"peak_flop_per_s", "FLOP/s"},
                                                                  {"peak_hbm_bytes_per_s", "B/s"},
                                                                  {"tokens_per_s", "tokens/s"},
                                                                  {"tokens_per_s_user", "tokens/s"},
                                                                  {"macs_per_ns", "macs/ns"},
                                                                  {"hbm_bytes", "B"},
                                                                  {"hbm_bytes_simulated", "B"},
                                                                  {"bytes", "B"},
                                                                  {"padding_flop", "FLOP"},
                                                                  {"flop", "FLOP"},
                                                                  {"wall_s", "s"},
                                                                  {"b_gbs", "GB/s"},
                                                                  {"elements_per_pe", "1"},
                                                                  {"flop_of_peak", "1"},
                                                                  {"roofline_share", "1"},
                                                                  {"mac_utilization_simulated", "1"}}) {
    CAPTURE(name);
    const auto found = metrics_in(std::string{R"({"rows":[{")"} + name + R"(":1}]})");
    REQUIRE(found.size() == 1);
    CHECK(found[0].unit == unit);
  }
}

TEST_CASE("metrics_in: rows are distinguished by inputs together, never by measured values") {
  const auto two = metrics_in(
      R"({"rows":[{"axis":1,"ranks":1,"keys":32,"time_us":1.5,"late":1},{"axis":1,"ranks":1,"keys":64,)"
      R"("time_us":2.5,"late":2},{"axis":1,"ranks":2,"keys":32,"time_us":3.5,"late":3}]})");
  REQUIRE(two.size() == 15);
  CHECK(two[3].name == "time_us[ranks=1 keys=32]");
  CHECK(two[13].name == "time_us[ranks=2 keys=32]");
  const auto same = metrics_in(R"({"rows":[{"n":1,"time_us":1.5},{"n":1,"time_us":2.5}, 3]})");
  REQUIRE(same.size() == 4);
  CHECK(same[3].name == "time_us[row=1]");
}

TEST_CASE("usual_metric: the latency or the time of the first row, no axis and no sum over messages") {
  CHECK(usual_metric({}).empty());
  CHECK(usual_metric({"ranks", "fetch_busy_ns", "time_us", "latency_ns"}) == "latency_ns");
  CHECK(usual_metric({"m[layer=L0]", "time_us[layer=L0]", "time_us[layer=L1]"}) == "time_us[layer=L0]");
  CHECK(usual_metric({"m[a=1]", "fetch_busy_ns[a=1]", "pe_window_ns[a=1]"}) == "pe_window_ns[a=1]");
  CHECK(usual_metric({"rows[phase=prefill]", "ttft_us[phase=prefill]", "simulated_ns[phase=prefill]",
                      "tpot_us[phase=decode]"}) == "ttft_us[phase=prefill]");
  CHECK(usual_metric({"m[a=1]", "fetch_busy_ns[a=1]"}) == "fetch_busy_ns[a=1]");
  CHECK(usual_metric({"count", "messages.total_ns", "run.simulated_ns"}) == "run.simulated_ns");
  CHECK(usual_metric({"count", "messages.messages"}) == "count");
}

TEST_CASE("usual_metric: of several launches none is the run, of one it is as good") {
  CHECK(usual_metric({"duration_ns[launch=0]", "duration_ns[launch=1]", "run.simulated_ns"}) ==
        "run.simulated_ns");
  CHECK(usual_metric({"latency_ns", "duration_ns[launch=0]", "run.simulated_ns"}) == "latency_ns");
  CHECK(usual_metric({"duration_ns", "run.simulated_ns"}) == "duration_ns");
}

TEST_CASE("metric_meant: a metric's name, with or without its unit") {
  const std::vector<std::string> names{"latency_ns", "time[size=64]", "time_us[ranks=2]", "time_us[ranks=4]"};
  CHECK(metric_meant("latency_ns", names) == "latency_ns");
  CHECK(metric_meant("latency", names) == "latency_ns");
  CHECK(metric_meant("time[size=64]", names) == "time[size=64]");
  CHECK(metric_meant("time[ranks=4]", names) == "time_us[ranks=4]");
  CHECK(metric_meant("laten", names).empty());
  CHECK(metric_meant("time", names).empty());  // several rows have one
}

TEST_CASE("metric_hint: a list has metrics of several rows once, a name that is near all of them") {
  const std::vector<std::string> names{"rank[launch=0]", "duration_ns[launch=0]", "rank[launch=1]",
                                       "duration_ns[launch=1]", "run.simulated_ns"};
  CHECK(metric_hint("qqqqq", names) ==
        " (known, of several rows those of the first: rank[launch=0], duration_ns[launch=0], "
        "run.simulated_ns)");
  CHECK(metric_hint("duration_ns", names) ==
        ", did you mean 'duration_ns[launch=0]' or 'duration_ns[launch=1]'?");
  CHECK(metric_hint("qqqqq", {"time", "size"}) == " (known: time, size)");
}

TEST_CASE("Tables: a row a point in the order of the plan, with what failed and what hasn't run") {
  const Swept swept{"rows"};
  const Tables tables = read_tables(swept.folder());
  REQUIRE(tables.rows.size() == 12);
  CHECK(
      points_csv(tables).starts_with("point,x.n,algorithm,key,exit,message,command\n"
                                     "0,4,ring,k0,0,,kbsim run --bench b --set x.n=4 --algorithm ring\n"));
  CHECK(points_csv(tables).find("10,32,tree,k10,8,\"deadlock, of two\",kbsim run") != std::string::npos);
  CHECK(points_csv(tables).find("11,32,star,,,hasn't run,") != std::string::npos);
  CHECK(results_csv(tables).starts_with(
      "point,x.n,algorithm,metric,unit,value,key\n0,4,ring,latency_ns,ns,4,k0\n0,4,ring,cost,1,25,k0\n"));
  write_database(swept.folder() / "sweep.sqlite", tables);
  CHECK(kbsim::test::contents(swept.folder() / "sweep.sqlite").starts_with("SQLite format 3"));
}

TEST_CASE("Tables: a folder of another kind is reported") {
  const fs::path folder = fs::temp_directory_path() / fmt::format("kbsim_other_{}", getpid());
  fs::create_directories(folder);
  CHECK_THROWS_AS((void)read_tables(folder), UsageError);
  for (const char* text :
       {"", "[]", "{}", R"({"bench":"b","words":[],"axes":[],"points":[[0]],"requests":["r"]})"}) {
    std::ofstream{folder / "plan.json"} << text;
    CHECK_THROWS_AS((void)read_tables(folder), UsageError);
  }
  fs::remove_all(folder);
}

TEST_CASE("Analysis: the best point, what each axis does alone, and a metric that isn't there") {
  const Swept swept{"best"};
  const Tables tables = read_tables(swept.folder());
  CHECK(chosen_metric(tables, "") == "latency_ns");
  CHECK(chosen_metric(tables, "latency") == "latency_ns");
  CHECK(quantity(tables, "max:latency").name == "latency_ns");
  CHECK_THROWS_WITH_AS((void)chosen_metric(tables, "latncy_ns"),
                       doctest::Contains("did you mean 'latency_ns'?"), UsageError);
  const std::string best = best_text(tables, quantity(tables, "latency_ns"));
  CHECK(best.starts_with(
      "best of 7 of 12 points by latency_ns, smaller is better: 4 ns\n  x.n = 4\n  algorithm = ring\n"));
  CHECK(best.find("+700.0 %") != std::string::npos);  // 32 in place of 4
  const std::string along = best.substr(best.find("\n  algorithm\n"));
  CHECK_MESSAGE(along.find("star ") != std::string::npos, along);
  CHECK_MESSAGE(along.substr(along.find("star ")).find("hasn't run") != std::string::npos, along);
  const std::string most = best_text(tables, quantity(tables, "max:cost"));
  CHECK_MESSAGE(most.starts_with("best of 7 of 12 points by "), most);
  CHECK(best_text(tables, quantity(tables, "max:latency_ns")).find(": 32 ns") != std::string::npos);
}

TEST_CASE("Analysis: if no point has a number the page and the text say why") {
  Record full{.key = "f", .exit = 4, .message = "no room"};
  Record wrong{.key = "w", .exit = 2, .message = "<b>bad"};
  Draft draft{.bench = "b"};
  draft.vary("n", {.text = "1..4"});
  Tables tables{.plan = plan_of(draft), .cache = {}, .rows = {}};
  for (std::size_t i = 0; i < 4; ++i)
    tables.rows.push_back({.point = i,
                           .values = {std::to_string(i + 1)},
                           .command = "c" + std::to_string(i),
                           .record = i == 3   ? nullptr
                                     : i == 1 ? &wrong
                                              : &full});
  CHECK(chosen_metric(tables, "").empty());
  const std::string why =
      "no point has a number: 3 of 4 failed\n  2 with exit code 4: no room\n    c0\n"
      "  1 with exit code 2: <b>bad\n    c1\n";
  CHECK(failures_text(tables) == why);
  CHECK(report_html(tables, "").find("no point has a number: 3 of 4 failed") != std::string::npos);
}

TEST_CASE("Analysis: without an axis nothing is said of each") {
  const Record done{.key = "k"};
  Tables tables{.plan = plan_of({.bench = "b"}), .cache = {}, .rows = {}};
  tables.rows.push_back({.record = &done, .metrics = {{.name = "t", .unit = "s", .value = 1.0}}});
  CHECK(best_text(tables, quantity(tables, "t")).find("each axis") == std::string::npos);
}

TEST_CASE("Analysis: the Pareto front is what no other point beats in both") {
  const Swept swept{"pareto"};
  const Tables tables = read_tables(swept.folder());
  std::vector<std::size_t> front;
  for (const Row* row : pareto_front(tables, quantity(tables, "latency_ns"), quantity(tables, "cost")))
    front.push_back(row->point);
  CHECK(front ==
        std::vector<std::size_t>{0, 3, 7, 9});  // rings of 4 and 8, a tree of 16 in 10 ns, a ring of 32
  front.clear();
  for (const Row* row : pareto_front(tables, quantity(tables, "latency_ns"), quantity(tables, "max:x.n")))
    front.push_back(row->point);
  CHECK(front == std::vector<std::size_t>{0, 3, 7, 9});
}

TEST_CASE("Analysis: more than ten lines are small multiples, or a heat map of two axes") {
  const auto figure = [](const std::string& n, const std::string& m, const std::string& k) {
    Draft draft{.bench = "b"};
    draft.vary("n", {.text = n});
    draft.vary("m", {.text = m});
    if (!k.empty()) draft.vary("--k", {.text = k});
    const Tables tables = numbered(draft);
    return *figure_of(tables, quantity(tables, "t"));
  };
  CHECK(figure("1..12", "1..10", "").name == "curve");
  const std::string large = figure("1M..4M*2", "1..2", "").script;
  CHECK_MESSAGE(large.find("\"1048576\" 1048576") != std::string::npos, large);
  const report::Figure map = figure("1..12", "1..11", "");
  CHECK(map.name == "heat_map");
  CHECK(map.data.starts_with("m / n,1,2,3,4,5,6,7,8,9,10,11,12\n1,1,12,23,"));
  const report::Figure panels = figure("1..3", "1..2", "a,b,c,d,e,f");
  CHECK(panels.name == "panels");
  CHECK(panels.data.starts_with("n,m 1 a,m 1 b,m 1 c,m 1 d,m 1 e,m 1 f,m 2 a,"));
  CHECK(panels.data.find("\n2,13,14,15,16,17,18,19,") != std::string::npos);
}

TEST_CASE("Analysis: axes that are zipped are one, in figures and alone") {
  const auto tables_of = [](const std::string& lines) {
    Draft draft{.bench = "b"};
    draft.vary("--k", {.text = lines});
    draft.vary("--least", {.text = "1..4"});
    draft.vary("--most", {.text = "11..14"});
    draft.zips.push_back({.text = "least,most"});
    return numbered(draft);
  };
  const Tables tables = tables_of("a,b");
  const report::Figure figure = *figure_of(tables, quantity(tables, "t"));
  CHECK(figure.name == "curve");
  CHECK(figure.data == "least,a,b\n1,1,5\n2,2,6\n3,3,7\n4,4,8\n");
  const std::string best = best_text(tables, quantity(tables, "t"));
  const std::string along = best.substr(best.find("\n  least, most\n"));
  CHECK_MESSAGE(along.find("    4, 14 ") != std::string::npos, along);
  CHECK_MESSAGE(along.find("+300.0 %") != std::string::npos, along);
  CHECK(best.find("\n  most\n") == std::string::npos);
  const std::string page = report_html(tables, "t");
  CHECK(page.find(R"("together":[[0],[1,2],[1,2]])") != std::string::npos);

  const Tables many = tables_of("a,b,c,d,e,f,g,h,i,j,k");
  const report::Figure map = *figure_of(many, quantity(many, "t"));
  CHECK(map.name == "heat_map");
  CHECK_MESSAGE(map.data.starts_with("k / least,1,2,3,4\na,1,2,3,4\nb,5,"), map.data);
}

TEST_CASE("Analysis: values and messages of any text end no script, no cell and no UTF-8") {
  const std::string odd = "a,\"b\"</script><!--\xe9";
  static const Record failed{.key = "k", .exit = 2, .message = odd};
  Tables tables = numbered([] {
    Draft draft{.bench = "b"};
    draft.vary("x.n", {.text = "1,2"});
    return draft;
  }());
  const std::string usual = report_html(tables, "t");
  tables.plan.axes.front().name = odd;
  tables.plan.axes.front().values.front().text = odd;
  tables.rows.front().values = {odd};
  tables.rows.front().record = &failed;
  const std::string page = report_html(tables, "t");
  CHECK(as_utf8(page) == page);
  const auto ends = [](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 1)) ++found;
    return found;
  };
  CHECK(ends(page) == ends(usual));
  CHECK(page.find("<!--") == std::string::npos);
  CHECK(page.find("\\\\xe9") != std::string::npos);
  for (const std::string& text : {points_csv(tables), results_csv(tables)}) {
    std::istringstream in{text};
    const report::CsvTable table = report::parse_csv(in, "table");
    CHECK(table.rows.front().at("a,\"b\"</script><!--\\xe9") == "a,\"b\"</script><!--\\xe9");
  }
}

TEST_CASE("Analysis: a family of curves without what failed, and a page that loads nothing") {
  const Swept swept{"figure"};
  const Tables tables = read_tables(swept.folder());
  const auto figure = figure_of(tables, quantity(tables, "latency_ns"));
  REQUIRE(figure);
  CHECK(figure->name == "curve");
  CHECK(figure->data == "x.n,ring,tree\n4,4,10\n8,8,10\n16,16,10\n32,32,NaN\n");
  const std::string page = report_html(tables, "latency_ns");
  CHECK(page.find("\"latency_ns\"") != std::string::npos);
  for (const char* loads : {"<script src", "<link", "@import", "url("})
    CHECK_MESSAGE(page.find(loads) == std::string::npos, loads);
}

TEST_CASE("Analysis: a page has a column by metric, null where a point has failed, and the front asked for") {
  const Swept swept{"columns"};
  const Tables tables = read_tables(swept.folder());
  const std::string page =
      report_html(tables, "cost", Front{quantity(tables, "max:cost"), quantity(tables, "x.n")});
  const auto has = [&](const std::string& part) {
    CHECK_MESSAGE(page.find(part) != std::string::npos, part);
  };
  has(R"("metric":"cost","front":[{"name":"cost","larger":true},{"name":"x.n","larger":false}])");
  has(R"("command":"kbsim run --bench b")");
  has(R"("name":"x.n","values":["4","8","16","32"],"numbers":[4E0,8E0,1.6E1,3.2E1],"words":[" --set x.n=4")");
  has(R"("metrics":[{"name":"cost","unit":"1","larger":false},{"name":"latency_ns","unit":"ns","larger":false}])");
  has(R"("at":[[0,0,0,1,1,1,2,2,2,3,3,3],[0,1,2,0,1,2,0,1,2,0,1,2]])");
  has(R"("exit":[0,0,null,0,0,null,0,0,null,0,8,null])");
  has(R"("messages":["","hasn't run","deadlock, of two"])");
  has(R"([4E0,1E1,null,8E0,1E1,null,1.6E1,1E1,null,3.2E1,null,null]])");
}

TEST_CASE("Analysis: a page leaves out what would make it larger than 10 MB, and says so") {
  Draft draft{.bench = "b"};
  draft.vary("n", {.text = "1..1000"});
  draft.vary("m", {.text = "1..101"});
  Tables tables = numbered(draft);
  for (Row& row : tables.rows) {
    for (const char* more : {"a", "b", "c", "d"})
      row.metrics.push_back({.name = more, .unit = "1", .value = 1.0 / static_cast<double>(row.point + 1)});
  }
  const std::string page = report_html(tables, "t");
  CHECK(page.size() < 10'000'000);
  CHECK(page.find(R"("other_metrics":2,"other_points":1000,)") != std::string::npos);
  CHECK(page.find("99999],\"at\"") != std::string::npos);  // t is smaller in earlier points

  tables.rows.resize(50'000);
  const Record full = {.key = "k", .exit = 4};
  std::vector<Record> records(tables.rows.size(), full);
  for (std::size_t i = 0; i < 300; ++i) {
    records[i].message = std::to_string(i) + std::string(10'000, 'x');
    tables.rows[i].record = &records[i];
  }
  const std::string failed = report_html(tables, "t");
  CHECK(failed.size() < 10'000'000);
  CHECK(failed.find("the page has no room for more messages: see points.csv") != std::string::npos);
}

}  // namespace kbsim::sweep::test::tables_test
