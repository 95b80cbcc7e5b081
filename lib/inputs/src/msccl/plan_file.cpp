#include "kbsim/inputs/msccl/plan_file.hpp"

#include "kbsim/ccl/plans.hpp"
#include "kbsim/inputs/msccl/mscclpp.hpp"
#include "kbsim/inputs/msccl/xml.hpp"

namespace kbsim::inputs {
namespace {

constexpr std::size_t kLargestPlan = std::size_t{64} << 20U;

}  // namespace

bool names_plan_file(const std::string& name) { return name.ends_with(".xml") || name.ends_with(".json"); }

ccl::Plan read_plan(const std::string& file) {
  return file.ends_with(".json") ? read_mscclpp(file) : read_msccl(file);
}

ccl::Plan read_msccl(const std::string& file) { return parse_msccl(Text::read(file, kLargestPlan)); }

ccl::Plan read_mscclpp(const std::string& file) { return parse_mscclpp(Text::read(file, kLargestPlan)); }

void declare_plan_file(const std::string& name, config::CclSpec& ccl) {
  if (names_plan_file(name)) ccl::declare_plan(name, read_plan(name), ccl);
}

}  // namespace kbsim::inputs
