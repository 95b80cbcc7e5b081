#pragma once

#include <string>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

#include "reader.hpp"

namespace kbsim::config {

/// Rules over keys that must fit one another, reported at the place of the first key.
class Checker {
 public:
  Checker(const Reader& reader, Problems& problems)
      : reader_{reader}, problems_{problems}, known_{problems.size()} {}

  /// Silent if one of the keys couldn't be read: then nothing follows from its value.
  void require(bool holds, const std::vector<std::string>& keys, const std::string& text);

  [[nodiscard]] bool was_given(const std::string& key) const { return reader_.was_given(key); }

 private:
  [[nodiscard]] bool was_read(const std::string& key) const;

  const Reader& reader_;
  Problems& problems_;
  std::size_t known_;  // problems of reading
};

void check(const MachineSpec& spec, Checker checker);
void check_sip_links(const SipsSpec& sips, Checker& checker);
void check_floor_plan(const MachineSpec& spec, Checker& checker);
void check(const CclSpec& spec, Checker checker);

}  // namespace kbsim::config
