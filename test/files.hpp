// Files that a test reads and folders that it writes.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace kbsim::test {

/// The whole text of a file, which must be there.
inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  REQUIRE_MESSAGE(in, file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A path of this name where a test may make a folder; nothing is there yet.
inline std::filesystem::path fresh_place(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("kbsim_test_" + name);
  std::filesystem::remove_all(folder);
  return folder;
}

}  // namespace kbsim::test
