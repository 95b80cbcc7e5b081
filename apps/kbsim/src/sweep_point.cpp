// One point of a sweep, as kbsim run would run it.
#include "sweep_point.hpp"

#include <new>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "kbsim/base/input_file.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/base/thrown.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/sweep/fingerprint.hpp"

#include "kept_run.hpp"
#include "plugins.hpp"

namespace kbsim::app {
namespace {

constexpr std::size_t kLongestMessage = 2000;

bool is_plugin(const std::string& word) { return word == "--plugin" || word == "--kernels"; }

std::string fingerprint_of_plugins(const Arguments& words) {
  std::string all;
  for (const std::string& file : plugins_named(words)) all += sweep::fingerprint(read_input(file, file));
  return all;
}

// A path may have more segments than all the rest of a document has numbers.
void leave_segments_out(boost::json::object& document) {
  boost::json::value* explanation = document.if_contains("explain");
  if (explanation == nullptr) return;
  for (boost::json::value& path : explanation->at("paths").as_array()) {
    for (const char* list : {"path", "ops", "op_slack"}) path.as_object().erase(list);
  }
}

// The cost of a run is no result.
std::string document_of(boost::json::object document) {
  if (document.empty()) return {};
  leave_segments_out(document);
  if (boost::json::value* run = document.if_contains("run"); run != nullptr && run->is_object())
    run->get_object().erase("host");
  return json_as_utf8(boost::json::serialize(document));
}

void fail(sweep::PointResult& result, ExitCode exit, const std::string& message) {
  result.exit = static_cast<int>(exit);
  result.message = message.substr(0, kLongestMessage);
}

sweep::PointResult run_point(const Arguments& words, KeptRun run) {
  sweep::PointResult result;
  const std::uint64_t refusals = memory_refusals();
  try {
    result.exit = static_cast<int>(run_kept(words, &run));
    if (result.exit != 0) result.message = "wrong values";
  } catch (const Error& error) {
    fail(result, error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    fail(result, ExitCode::limit, "out of memory");
    result.short_of_memory = true;
  } catch (...) {
    fail(result, ExitCode::internal, "internal error: " + thrown_text());
  }
  result.short_of_memory = result.short_of_memory || memory_refusals() > refusals;
  if (run.document.empty()) return result;
  result.digest = to_string(run.summary.digest);
  result.events = run.summary.events;
  result.document = document_of(std::move(run.document));
  return result;
}

}  // namespace

Arguments without_plugins(const Arguments& words) {
  Arguments others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (!is_plugin(words[i].substr(0, equals)))
      others.push_back(words[i]);
    else if (equals == std::string::npos)
      ++i;  // its file
  }
  return others;
}

sweep::RunPoint point_runner(const Arguments& words, bool with_links, bool with_explanation) {
  const std::string program = sweep::program_fingerprint() + fingerprint_of_plugins(words);
  return [program, with_links, with_explanation](const std::vector<std::string>& of_point,
                                                 const std::function<bool(const std::string&)>& wanted) {
    KeptRun run{.wanted =
                    [&](const std::string& depends_on) {
                      return wanted(sweep::fingerprint(program + "\n" + depends_on));
                    },
                .with_links = with_links,
                .with_explanation = with_explanation};
    return run_point(without_plugins(of_point), std::move(run));
  };
}

void check_point(const Arguments& words) {
  KeptRun run{.wanted = [](const std::string&) { return false; }};
  (void)run_kept(without_plugins(words), &run);
}

}  // namespace kbsim::app
