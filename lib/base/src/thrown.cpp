#include "kbsim/base/thrown.hpp"

#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

#include <cxxabi.h>

namespace kbsim {
namespace {

std::string name_of(const std::type_info* type) {
  if (type == nullptr) return "unknown";
  const std::unique_ptr<char, decltype(&std::free)> name{
      abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr), &std::free};
  return name ? name.get() : type->name();
}

}  // namespace

std::string thrown_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "threw an object of type " + name_of(abi::__cxa_current_exception_type()) +
           ", which is no std::exception";
  }
}

}  // namespace kbsim
