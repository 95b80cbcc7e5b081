#include "row_data.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/report/output_folder.hpp"

#include "explained.hpp"

namespace kbsim::page {
namespace {

namespace json = boost::json;

// Takes things while they fit; after the first that doesn't, none.
class Room {
 public:
  explicit Room(std::size_t bytes) : left_{bytes} {}

  [[nodiscard]] bool is_full() const { return first_out_.has_value(); }
  bool takes(std::size_t bytes, std::size_t row) {
    if (!is_full() && bytes > left_) first_out_ = row;
    if (is_full()) return false;
    left_ -= bytes;
    return true;
  }
  void note(FolderFiles& files, const char* what) const {
    if (first_out_) files.leave_out(fmt::format("the {} of rows from {} on", what, *first_out_));
  }

 private:
  std::size_t left_;
  std::optional<std::size_t> first_out_;
};

std::string file_of(const RowFolder& row, const char* name) {
  return fmt::format("{}/{}", report::row_folder(row.row), name);
}

// Read with files of its own, whose memory ends here: the row's path may be much longer than what is kept.
json::value path_of(FolderFiles& files, const RowFolder& row, const RowRoom& room, std::size_t rows) {
  FolderFiles own{files.path()};
  const json::value path = shortened_paths(own.json(file_of(row, "explain.json"), room.path_file),
                                           room.segments / rows, room.ops / rows);
  return json::value(path, files.storage());
}

// The row that explain.json is about; 0: none.
std::size_t row_of(const json::value& explained) {
  const json::value* const row = explained.is_object() ? explained.get_object().if_contains("row") : nullptr;
  boost::system::error_code error;
  const auto number = row == nullptr ? std::size_t{0} : row->to_number<std::size_t>(error);
  return error ? 0 : number;
}

// The explained row is shown first, so it comes first.
std::vector<RowFolder> in_order_of_use(std::vector<RowFolder> rows, std::size_t explained) {
  std::ranges::sort(rows, {},
                    [explained](const RowFolder& row) { return std::pair{row.row != explained, row.row}; });
  return rows;
}

// The index of each drawing among those that there is room for.
std::vector<std::optional<std::size_t>> add_drawings(json::object& data, FolderFiles& files,
                                                     const RunFolder& folder, std::size_t room) {
  std::vector<std::optional<std::size_t>> places;
  json::array kept;
  for (const std::string& drawing : folder.drawings) {
    const bool fits = drawing.size() <= room;
    places.push_back(fits ? std::optional{kept.size()} : std::nullopt);
    if (!fits) continue;
    room -= drawing.size();
    kept.emplace_back(drawing);
  }
  if (kept.size() < folder.drawings.size())
    files.leave_out(fmt::format("{} of {} drawings of rows", folder.drawings.size() - kept.size(),
                                folder.drawings.size()));
  data.emplace("drawings", std::move(kept));
  return places;
}

}  // namespace

void add_rows(json::object& data, FolderFiles& files, const RunFolder& folder, const RowRoom& room) {
  const std::vector<std::optional<std::size_t>> places = add_drawings(data, files, folder, room.drawings);
  Room spans{room.spans};
  Room paths{room.paths};
  std::map<std::size_t, json::object> rows;
  for (const RowFolder& row : in_order_of_use(folder.rows, row_of(data.at("explain")))) {
    json::value path;
    if (!paths.is_full()) path = path_of(files, row, room, folder.rows.size());
    const bool has_path = !path.is_null() && paths.takes(json::serialize(path).size(), row.row);
    const std::string timeline = file_of(row, "spans.json");
    const std::size_t bytes = files.size(timeline);
    const bool has_spans = bytes > 0 && spans.takes(bytes, row.row);
    const std::optional<std::size_t> drawing = row.drawing ? places.at(*row.drawing) : std::nullopt;
    json::object one{files.storage()};
    one.emplace("row", row.row);
    one.emplace("explain", has_path ? std::move(path) : json::value(nullptr));
    one.emplace("spans", has_spans ? files.json(timeline, bytes) : json::value(nullptr));
    one.emplace("drawing", drawing ? json::value(*drawing) : json::value(nullptr));
    rows.emplace(row.row, std::move(one));
  }
  paths.note(files, "critical paths");
  spans.note(files, "timelines");
  json::array all(files.storage());
  for (auto& [row, one] : rows) all.push_back(std::move(one));
  data.emplace("rows", std::move(all));
}

const std::string& explained_drawing(const RunFolder& folder, const json::value& explained) {
  const auto found = std::ranges::find(folder.rows, row_of(explained), &RowFolder::row);
  return found == folder.rows.end() || !found->drawing ? folder.drawing : folder.drawings.at(*found->drawing);
}

}  // namespace kbsim::page
