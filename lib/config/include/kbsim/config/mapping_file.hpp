#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kbsim::config {

/// The mappings of a model's operations, as a YAML file names them:
///   default: auto
///   operations: {qkv: columns, down: blocks}
///   overlap: [output, down]
struct MappingFile {
  std::string all = "auto";                       // of operations that aren't named
  std::map<std::string, std::string> operations;  // mapping by operation
  std::set<std::string, std::less<>> overlap;     // those that add up over packages while they compute
};

/// The names that a file may have.
struct MappingNames {
  std::vector<std::string> operations;
  std::vector<std::string> summed;  // operations whose parts on several packages are added up
  std::vector<std::string> mappings;
};

/// ConfigError with file and line of each name that isn't among these.
[[nodiscard]] MappingFile load_mapping_file(const std::filesystem::path& file, const MappingNames& names);

}  // namespace kbsim::config
