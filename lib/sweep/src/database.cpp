// The tables as an SQLite file.
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <sqlite3.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/unwritable.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/sweep/tables.hpp"

namespace kbsim::sweep {
namespace {

namespace fs = std::filesystem;

class Database {
 public:
  explicit Database(const fs::path& file) : file_{file} {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open(file.c_str(), &opened);
    base_.reset(opened);
    require(status == SQLITE_OK);
  }
  void run(const std::string& command) {
    require(sqlite3_exec(base_.get(), command.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  [[nodiscard]] sqlite3* get() const { return base_.get(); }
  void require(bool holds) const {
    if (!holds) throw UsageError{fmt::format("can't write '{}': {}", file_.string(), reason())};
  }

 private:
  // The system's reason, if there is one.
  [[nodiscard]] std::string reason() const {
    const int error = sqlite3_system_errno(base_.get());
    return error != 0 ? why_unwritable(file_, {error, std::generic_category()}) : sqlite3_errmsg(base_.get());
  }

  struct Close {
    void operator()(sqlite3* base) const { (void)sqlite3_close(base); }
  };
  fs::path file_;
  std::unique_ptr<sqlite3, Close> base_;
};

// One INSERT, run for each row.
class Insert {
 public:
  Insert(Database& base, const std::string& table, std::size_t columns) : base_{base} {
    std::string marks = "?";
    for (std::size_t i = 1; i < columns; ++i) marks += ",?";
    sqlite3_stmt* made = nullptr;
    const std::string text = fmt::format("INSERT INTO {} VALUES ({})", table, marks);
    const int status = sqlite3_prepare_v2(base.get(), text.c_str(), -1, &made, nullptr);
    statement_.reset(made);
    base_.require(status == SQLITE_OK);
  }
  Insert& operator<<(const std::string& given) {
    const std::string text = as_utf8(given);
    (void)sqlite3_bind_text(statement_.get(), ++column_, text.data(), static_cast<int>(text.size()),
                            SQLITE_TRANSIENT);
    return *this;
  }
  Insert& operator<<(double number) {
    (void)sqlite3_bind_double(statement_.get(), ++column_, number);
    return *this;
  }
  Insert& operator<<(std::int64_t number) {
    (void)sqlite3_bind_int64(statement_.get(), ++column_, number);
    return *this;
  }
  // Numbers are stored as numbers, so that they can be compared; whole ones without a point, as in CSV.
  Insert& value(const std::string& text) {
    constexpr double kMostWhole = 0x1p53;
    const Term term = term_of(text);
    const double* number = std::get_if<double>(&term);
    if (number == nullptr) return *this << text;
    const bool whole = std::floor(*number) == *number && std::abs(*number) <= kMostWhole;
    return whole ? *this << static_cast<std::int64_t>(*number) : *this << *number;
  }
  void row() {
    base_.require(sqlite3_step(statement_.get()) == SQLITE_DONE);
    (void)sqlite3_reset(statement_.get());
    (void)sqlite3_clear_bindings(statement_.get());
    column_ = 0;
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { (void)sqlite3_finalize(statement); }
  };
  Database& base_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int column_ = 0;
};

std::string identifier(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string{"\"\""} : std::string{c};
  return text + "\"";
}

void make_tables(Database& base, const Plan& plan) {
  std::string axes;
  for (const Axis& axis : plan.axes) axes += fmt::format(", {}", identifier("p." + axis.name));
  base.run(fmt::format("CREATE TABLE points (point INTEGER PRIMARY KEY, key TEXT, command TEXT{})", axes));
  base.run("CREATE TABLE results (key TEXT, metric TEXT, unit TEXT, value REAL)");
  base.run(
      "CREATE TABLE runs (key TEXT PRIMARY KEY, exit INTEGER, message TEXT, digest TEXT, version TEXT, "
      "events INTEGER, wall_s REAL, host TEXT)");
  base.run("CREATE TABLE links (key TEXT, link TEXT, quantity TEXT, value REAL)");
}

void add_points(Database& base, const Tables& tables) {
  Insert insert{base, "points", 3 + tables.plan.axes.size()};
  for (const Row& row : tables.rows) {
    insert << static_cast<std::int64_t>(row.point) << row.key << row.command;
    for (const std::string& value : row.values) insert.value(value);
    insert.row();
  }
}

void add_results(Database& base, const std::vector<const Row*>& rows) {
  Insert insert{base, "results", 4};
  for (const Row* row : rows) {
    for (const Metric& metric : row->metrics) {
      insert << row->key << metric.name << metric.unit << metric.value;
      insert.row();
    }
  }
}

void add_runs(Database& base, const std::vector<const Row*>& rows) {
  Insert insert{base, "runs", 8};
  for (const Row* row : rows) {
    const Record& record = *row->record;
    insert << row->key << std::int64_t{record.exit} << record.message << record.digest
           << std::string{KBSIM_VERSION} << static_cast<std::int64_t>(record.events) << record.seconds
           << record.host;
    insert.row();
  }
}

// Adds the numeric columns of links.csv, one row each.
void add_links(Database& base, const std::vector<const Row*>& rows) {
  Insert insert{base, "links", 4};
  for (const Row* row : rows) {
    boost::system::error_code error;
    const boost::json::value document = boost::json::parse(row->record->document, error);
    const boost::json::object* all = error ? nullptr : document.if_object();
    const boost::json::value* links = all == nullptr ? nullptr : all->if_contains("links");
    if (links == nullptr || !links->is_string()) continue;
    std::istringstream in{std::string{links->get_string()}};
    const report::CsvTable table = report::parse_csv(in, "links");
    for (const auto& line : table.rows) {
      for (const std::string& column : table.columns) {
        const Term term = term_of(line.at(column));
        const double* number = std::get_if<double>(&term);
        if (number == nullptr) continue;
        insert << row->key << line.at(table.columns.front()) << column << *number;
        insert.row();
      }
    }
  }
}

// One row per key, in the order of the points.
std::vector<const Row*> by_key(const Tables& tables) {
  std::set<std::string> seen;
  std::vector<const Row*> rows;
  for (const Row& row : tables.rows) {
    if (row.record != nullptr && seen.insert(row.key).second) rows.push_back(&row);
  }
  return rows;
}

// A database beside the final one, so that half a database doesn't stay.
class Aside {
 public:
  explicit Aside(fs::path file) : file_{std::move(file)} { remove(); }
  ~Aside() { remove(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  [[nodiscard]] const fs::path& file() const { return file_; }

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  fs::path file_;
};

void fill(Database& base, const Tables& tables) {
  base.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  make_tables(base, tables.plan);
  const std::vector<const Row*> rows = by_key(tables);
  add_points(base, tables);
  add_results(base, rows);
  add_runs(base, rows);
  add_links(base, rows);
  base.run("COMMIT");
}

}  // namespace

void require_database() {}

void write_database(const fs::path& file, const Tables& tables) {
  const Aside aside{file.string() + ".new"};
  {
    Database base{aside.file()};
    fill(base, tables);
  }
  std::error_code error;
  fs::rename(aside.file(), file, error);
  if (error)
    throw UsageError{fmt::format("can't write '{}': {}", file.string(), why_unwritable(file, error))};
}

}  // namespace kbsim::sweep
