#include "kbsim/inputs/msccl/plan_file.hpp"

#include "kbsim/ccl/plans.hpp"
#include "kbsim/inputs/msccl/mscclpp.hpp"
#include "kbsim/inputs/msccl/xml.hpp"

namespace kbsim::inputs {

bool names_plan_file(const std::string& name) { return name.ends_with(".xml") || name.ends_with(".json"); }

ccl::Plan read_plan(const std::string& file) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  const Text text = Text::read(file, kMost);
  return file.ends_with(".json") ? parse_mscclpp(text) : parse_msccl(text);
}

void declare_plan_file(const std::string& name, config::CclSpec& ccl) {
  if (names_plan_file(name)) ccl::declare_plan(name, read_plan(name), ccl);
}

}  // namespace kbsim::inputs
