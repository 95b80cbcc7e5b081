// Registration of evaluations.
#include "kbsim/evaluate/evaluation.hpp"

#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace kbsim::evaluate::test::evaluation_test {

namespace {

Evaluation whole() {
  return {.doc = "of nothing",
          .run = [](const EvaluationRequest&) { return Simulated{}; },
          .text = [](const Rows&) { return std::string{}; },
          .figures = [](const Rows&, const report::OutputFolder&) {}};
}

}  // namespace

TEST_CASE("Evaluations: one without one of its functions is refused by its name") {
  Evaluation no_run = whole();
  no_run.run = nullptr;
  Evaluation no_text = whole();
  no_text.text = nullptr;
  Evaluation no_figures = whole();
  no_figures.figures = nullptr;
  Registry<Evaluation> registry{"evaluation"};
  CHECK(!registry.offer("no_run", no_run));
  registry.add("no_text", no_text);
  registry.add("no_figures", no_figures);
  registry.add("whole", whole());
  CHECK(registry.names() == std::vector<std::string>{"whole"});
  for (const char* name : {"no_run", "no_text", "no_figures"})
    CHECK_THROWS_WITH_AS((void)registry.at(name),
                         ("evaluation '" + std::string{name} + "' was registered without a function").c_str(),
                         UsageError);
}

}  // namespace kbsim::evaluate::test::evaluation_test
