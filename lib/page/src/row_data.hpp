#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "kbsim/page/report_page.hpp"

#include "folder_files.hpp"

namespace kbsim::page {

/// Room of a page for the rows of an evaluation, in all.
struct RowRoom {
  std::size_t spans;     // bytes
  std::size_t paths;     // bytes
  std::size_t drawings;  // bytes
  std::uint64_t segments;
  std::size_t ops;
  std::size_t path_file;  // bytes of an explain.json before it is shortened
};

/// Adds `rows`, each with its path, timeline and the index of its drawing, and `drawings`. Each may be null
/// where the room ends, which is noted in `files`: the explained row comes first, then all
/// others in ascending order.
void add_rows(boost::json::object& data, FolderFiles& files, const RunFolder& folder, const RowRoom& room);

/// The drawing of the machine that explain.json is about: the row's, or that of the folder.
[[nodiscard]] const std::string& explained_drawing(const RunFolder& folder,
                                                   const boost::json::value& explained);

}  // namespace kbsim::page
