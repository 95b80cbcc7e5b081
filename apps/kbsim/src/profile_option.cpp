#include "profile_option.hpp"

#include <boost/program_options.hpp>

#include "kbsim/base/say.hpp"
#include "kbsim/report/self_profile_report.hpp"

namespace kbsim::app {

namespace po = boost::program_options;

void describe_profile(po::options_description& to) {
  const auto begin = [](bool asked) {
    if (asked) self_profile::start();
  };
  to.add_options()(
      "profile-self", po::bool_switch()->notifier(begin),
      "print at the end where kbsim's own time went, by kinds of component and of work; simulations "
      "of one command then run one after the other");
}

void say_profile() {
  if (self_profile::is_on()) say("{}", report::to_text(self_profile::shares()));
}

}  // namespace kbsim::app
