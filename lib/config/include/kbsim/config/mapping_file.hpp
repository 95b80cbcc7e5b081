#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kbsim::config {

/// The mappings of a model's operations, as a YAML file names them:
///   default: auto
///   operations: {qkv: columns, down: blocks}
struct MappingFile {
  std::string all = "auto";                       // of operations that aren't named
  std::map<std::string, std::string> operations;  // mapping by operation
};

/// ConfigError with file and line of each name that isn't among `operations` or `mappings`.
[[nodiscard]] MappingFile load_mapping_file(const std::filesystem::path& file,
                                            const std::vector<std::string>& operations,
                                            const std::vector<std::string>& mappings);

}  // namespace kbsim::config
