#include "browser.hpp"

#include <doctest/doctest.h>

#include "command.hpp"
#include "sanitized.hpp"

namespace kbsim::test {
namespace {

constexpr const char* kWatch =
    "<script>window.told = ''; window.wrong = '';"
    "window.addEventListener('error', event => { wrong += 'ERROR ' + event.message + ' '; });"
    "window.addEventListener('unhandledrejection', event => { wrong += 'ERROR ' + event.reason + ' '; });"
    "document.addEventListener('securitypolicyviolation', event => { wrong += 'REQUEST ' + event.blockedURI "
    "+ ' '; });"
    "for (const name of ['error', 'warn']) console[name] = (...words) => { wrong += 'ERROR ' + words.join(' "
    "') + ' '; };"
    "</script>";
constexpr const char* kCompletion =
    "\nfor (const one of performance.getEntriesByType('resource')) wrong += 'REQUEST ' + one.name + ' ';"
    "const out = document.createElement('pre'); out.id = 'told';"
    "out.textContent = 'TOLD ' + wrong + told + ' END'; document.body.append(out);</script>";

}  // namespace

bool has_chromium() {
  if (kSanitized) {
    MESSAGE("skipped: the browser reads the pages of a build without sanitizers");
    return false;
  }
  static const bool has = run_script("command -v chromium >/dev/null").exit == 0;
  if (!has) MESSAGE("skipped: chromium isn't installed");
  return has;
}

std::string printed_by(const std::string& page, const std::string& script, PageClock clock) {
  const std::string end = "</html>";
  std::string with = page;
  with.replace(with.rfind(end), end.size(),
               "<script>\nObject.assign(window, window.kbsim ?? {});\n{" + script + "}" + kCompletion + end);
  with.insert(with.find("<title>"), kWatch);
  const std::string file = written("read.html", with);
  const Outcome dom = run_script(
      "timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
      "--user-data-dir=$PWD/profile --window-size=1400,900 --dump-dom " +
      std::string{clock == PageClock::real ? "--timeout=90000" : "--virtual-time-budget=2000"} + " file://" +
      file);
  const std::size_t begin = dom.out.rfind("TOLD ");
  REQUIRE_MESSAGE(begin != std::string::npos, dom.err.substr(0, 2000));
  return dom.out.substr(begin + 5, dom.out.find(" END", begin) - begin - 5);
}

}  // namespace kbsim::test
