// Looks up a name of each registry that a host program needs.
#include <exception>
#include <functional>

#include <fmt/format.h>

#include "kbsim/base/registry.hpp"
#include <kbsim/ccl/mapper.hpp>
#include <kbsim/ccl/wiring.hpp>
#include <kbsim/hw/fabric/component.hpp>
#include <kbsim/tl/kernel.hpp>

void print_models();

namespace {

void print(const char* name, const std::function<void(const char*)>& look_up) {
  try {
    look_up(name);
    fmt::print("{} found\n", name);
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
  }
}

}  // namespace

void print_models() {
  print("ring_allreduce", [](const char* name) { (void)kbsim::kernels().at(name); });
  print("builtin.pe_dma", [](const char* name) { (void)kbsim::hw::component_models().at(name); });
  print("cube_mesh", [](const char* name) { (void)kbsim::ccl::topologies().at(name); });
  print("cube_leaders", [](const char* name) { (void)kbsim::ccl::mappers().at(name); });
}
