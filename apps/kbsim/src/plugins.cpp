#include "plugins.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/registry.hpp"

#include "bench_options.hpp"

namespace kbsim::app {
namespace {

namespace fs = std::filesystem;

#define KBSIM_TEXT_OF(name) #name
#define KBSIM_TEXT(name) KBSIM_TEXT_OF(name)
constexpr std::string_view kAbi = KBSIM_TEXT(KBSIM_ABI);
constexpr std::string_view kAbiPrefix = "kbsim_abi_";

constexpr bool names_version(std::string_view abi, std::string_view version) {
  if (abi.size() != kAbiPrefix.size() + version.size() || !abi.starts_with(kAbiPrefix)) return false;
  abi.remove_prefix(kAbiPrefix.size());
  for (std::size_t i = 0; i < abi.size(); ++i) {
    if (abi[i] != (version[i] == '.' ? '_' : version[i])) return false;
  }
  return true;
}
static_assert(names_version(kAbi, KBSIM_VERSION), "base/abi.hpp names another version than CMakeLists.txt");

// The loaded objects by their real paths; never unloaded, since the registries hold their functions.
std::map<fs::path, boost::dll::shared_library>& loaded() {
  static auto* const libraries = new std::map<fs::path, boost::dll::shared_library>;
  return *libraries;
}

UsageError refusal(const std::string& file, std::string_view why) {
  return UsageError{fmt::format("--plugin {}: {}", file, why)};
}

// The word after `marker` in the loader's message.
std::string_view word_after(std::string_view text, std::string_view marker) {
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + marker.size());
  return text.substr(0, text.find_first_of(" ,():\n"));
}

std::string why_not(std::string_view loader_says) {
  const std::string_view missing = word_after(loader_says, "undefined symbol: ");
  if (missing.starts_with(kAbiPrefix)) {
    std::string version{missing.substr(kAbiPrefix.size())};
    std::ranges::replace(version, '_', '.');
    return fmt::format("it was built with the headers of kbsim {}, and this is kbsim {}; rebuild it", version,
                       KBSIM_VERSION);
  }
  if (!missing.empty())
    return fmt::format("it needs the symbol {}, which this kbsim doesn't have; rebuild it", missing);
  return fmt::format("it can't be loaded as a shared object: {}", loader_says);
}

// The loader's own message.
std::string loader_says(const std::string& text) {
  constexpr std::string_view kBefore = "(dlerror system message: ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return text;
  const std::size_t begin = at + kBefore.size();
  return text.substr(begin, text.rfind(')') - begin);
}

boost::dll::shared_library opened(const std::string& file, const fs::path& path) {
  using boost::dll::load_mode::rtld_global;
  using boost::dll::load_mode::rtld_now;
  try {
    return boost::dll::shared_library{path, rtld_now | rtld_global};
  } catch (const std::exception& error) {
    throw refusal(file, why_not(loader_says(error.what())));
  }
}

std::vector<std::string> conflicts() {
  std::vector<std::string> all;
  for (AnyRegistry* registry : registries()) {
    for (const std::string& name : registry->take_conflicts())
      all.push_back(fmt::format("{} '{}'", registry->kind(), name));
  }
  return all;
}

std::vector<std::string> without_function() {
  std::vector<std::string> all;
  for (const AnyRegistry* registry : registries()) {
    for (const std::string& name : registry->without_function())
      all.push_back(fmt::format("{} '{}'", registry->kind(), name));
  }
  return all;
}

std::size_t known() {
  std::size_t entries = 0;
  for (const AnyRegistry* registry : registries()) entries += registry->size();
  return entries;
}

void load(const std::string& file) {
  if (const std::string why = why_unreadable(file); !why.empty()) throw refusal(file, why);
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  if (error) throw refusal(file, error.message());
  if (loaded().contains(path)) throw refusal(file, "it is given twice");
  const std::size_t before = known();
  loaded().emplace(path, opened(file, path));
  if (const std::vector<std::string> taken = conflicts(); !taken.empty()) {
    throw refusal(file, fmt::format("the name of its {} is taken", fmt::join(taken, " and its ")));
  }
  if (const std::vector<std::string> empty = without_function(); !empty.empty())
    throw refusal(file, fmt::format("its {} has no function", fmt::join(empty, " and its ")));
  if (const std::vector<std::string> wrong = option_conflicts(); !wrong.empty())
    throw refusal(file, fmt::format("its {}", fmt::join(wrong, "; its ")));
  if (known() == before)
    throw refusal(
        file, "it registers nothing: it has no KBSIM_KERNEL, no KBSIM_BENCH, no KBSIM_COMPONENT or the like");
}

// True if plug-ins were loaded before the arguments were parsed.
bool& are_loaded() {
  static bool loaded = false;
  return loaded;
}

}  // namespace

// The parser reports an option without its file.
std::vector<std::string> plugins_named(const Arguments& arguments) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t equals = std::min(arguments[i].find('='), arguments[i].size());
    const std::string option = arguments[i].substr(0, equals);
    if (option != "--plugin" && option != "--kernels") continue;
    if (equals < arguments[i].size())
      files.push_back(arguments[i].substr(equals + 1));
    else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with('-'))
      files.push_back(arguments[++i]);
  }
  std::erase(files, "");
  return files;
}

bool has_plugins() { return !loaded().empty(); }

void load_plugins(const Arguments& arguments) {
  for (const std::string& file : plugins_named(arguments)) load(file);
  are_loaded() = true;
}

void describe_plugins(boost::program_options::options_description& to) {
  const auto files = [] {
    return boost::program_options::value<std::vector<std::string>>()
        ->value_name("FILE")
        ->composing()
        ->notifier([](const std::vector<std::string>& all) {
          if (are_loaded()) return;
          for (const std::string& file : all) load(file);
        });
  };
  to.add_options()("plugin", files(),
                   "a shared object with kernels, benches and components of your own; repeatable")(
      "kernels", files(), "the old name of --plugin");
}

void require_no_conflicts() {
  const std::vector<std::string> taken = conflicts();
  ensure(taken.empty(), [&] { return fmt::format("registered twice: {}", fmt::join(taken, ", ")); });
  const std::vector<std::string> wrong = option_conflicts();
  ensure(wrong.empty(), [&] { return fmt::format("options: {}", fmt::join(wrong, "; ")); });
}

}  // namespace kbsim::app
