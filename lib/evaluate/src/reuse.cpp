#include "kbsim/evaluate/reuse.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/config/describe.hpp"
#include "kbsim/evaluate/option_json.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

#include "exact_json.hpp"

namespace kbsim::evaluate {
namespace {

namespace json = boost::json;

// Text of a file in the folder of an earlier run.
std::string earlier_text(const EvaluateOptions& options, const std::string& name) {
  const std::string file = options.out + "/" + name;
  std::ifstream in{file};
  if (options.out.empty() || !in)
    throw UsageError{fmt::format("{}: no {} (expected --out DIR with the results of an earlier run)",
                                 options.reuse_asked_by, options.out.empty() ? "folder of results" : file)};
  return {std::istreambuf_iterator<char>{in}, {}};
}

[[noreturn]] void refuse_reuse(const EvaluateOptions& options, const std::string& key,
                               const std::string& then, const std::string& now) {
  throw UsageError{fmt::format("{}: the results in {} are of another run: {} was {}, and is {} here",
                               options.reuse_asked_by, options.out, key, then, now)};
}

std::string text_of(const json::object& options, std::string_view name) {
  const json::value* value = options.if_contains(name);
  return value == nullptr ? "not given" : json::serialize(*value);
}

void require_same_options(const EvaluateOptions& options, const json::object& then, const json::object& now) {
  json::object all = then;
  for (const auto& [name, value] : now) all[name] = value;
  for (const auto& [name, value] : all) {
    if (text_of(then, name) != text_of(now, name))
      refuse_reuse(options, fmt::format("--{}", std::string{name}), text_of(then, name), text_of(now, name));
  }
}

// Refuses options for files that only a run writes.
void require_no_output(const Evaluation& evaluation, const EvaluationRequest& request,
                       const EvaluateOptions& options) {
  for (const Option& option : evaluation.options.options) {
    if (option.shapes_rows || !request.own.given(option.long_name())) continue;
    throw UsageError{fmt::format("--{} (-{}) has no effect beside {}: it is written by the run",
                                 option.long_name(), option.brief, options.reuse_asked_by)};
  }
}

}  // namespace

json::object row_options(const Evaluation& evaluation, const EvaluationRequest& request) {
  json::object all = to_json(evaluation.options, request.own);
  if (evaluation.algorithms != Algorithms::any) return all;  // else the configuration has both
  if (!request.algorithm.empty()) all["algorithm"] = request.algorithm;
  if (request.buffer_kind) all["buffer-kind"] = to_string(*request.buffer_kind);
  return all;
}

Rows earlier_rows(const EvaluateOptions& options) {
  const std::string file = options.out + "/summary.json";
  const std::string text = earlier_text(options, "summary.json");
  boost::system::error_code error;
  const json::value all = parse_exactly(text, error);
  const json::object* object = error ? nullptr : all.if_object();
  const json::value* bench = object == nullptr ? nullptr : object->if_contains("bench");
  const json::value* rows = object == nullptr ? nullptr : object->if_contains("rows");
  const auto are_objects = [](const json::array& all_rows) {
    return !all_rows.empty() && std::ranges::all_of(all_rows, &json::value::is_object);
  };
  if (bench == nullptr || rows == nullptr || !rows->is_array() || bench->if_string() == nullptr ||
      bench->get_string() != options.name || !are_objects(rows->get_array()))
    throw UsageError{
        fmt::format("{}: {} doesn't hold the results of {}", options.reuse_asked_by, file, options.name)};
  return rows->as_array();
}

void require_same_run(const Evaluation& evaluation, const EvaluationRequest& request,
                      const EvaluateOptions& options) {
  require_no_output(evaluation, request, options);
  (void)earlier_rows(options);
  const config::ResolvedText then{earlier_text(options, "config.resolved.yaml"),
                                  options.out + "/config.resolved.yaml"};
  const config::ResolvedText now{config::resolved_yaml(request.machine, request.ccl, hw::ModelCatalog{}),
                                 "now"};
  if (const auto found = config::difference(then, now))
    refuse_reuse(options, found->key, found->first, found->second);
  boost::system::error_code error;
  const json::value run = parse_exactly(earlier_text(options, "run.json"), error);
  const json::object* all = error ? nullptr : run.if_object();
  if (all == nullptr)
    throw UsageError{fmt::format("{}: {}/run.json isn't that of a run", options.reuse_asked_by, options.out)};
  if (all->contains("interrupted"))
    throw UsageError{fmt::format("{}: the run of {} was interrupted: rows are missing",
                                 options.reuse_asked_by, options.out)};
  const json::value* own = all->if_contains("options");
  require_same_options(options, own != nullptr && own->is_object() ? own->get_object() : json::object{},
                       row_options(evaluation, request));
}

}  // namespace kbsim::evaluate
