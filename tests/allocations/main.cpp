// indigo-allocations: memory that is refused (statements.h, served.h). Exits with 1 when something went wrong, and says what.
//
//   indigo-allocations [--what statements|limits|served] [--part N] [--all 1] [--only WORDS]
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/server_log.h"
#include "tests/allocations/failing_memory.h"
#include "tests/allocations/served.h"
#include "tests/allocations/statements.h"

namespace {

void on_death(int signal_number) {
  indigo::allocations::print_refused();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

int run(int argc, char** argv) {
  using namespace indigo;
  allocations::Options options;
  std::string what = "statements";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--what") {
      what = value;
    } else if (name == "--part") {
      options.step_part = std::strtoll(value.c_str(), nullptr, 10);
    } else if (name == "--all") {
      options.all = true;
    } else if (name == "--only") {
      options.only = value;
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      return 2;
    }
  }
  set_log_level(LogLevel::kSilent);
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGILL}) std::signal(number, on_death);
  const allocations::Outcome outcome = what == "limits"   ? allocations::sweep_limits(options)
                                       : what == "served" ? allocations::sweep_served(options)
                                                          : allocations::sweep_statements(options);
  if (!outcome.error.empty()) std::printf("%s\n", outcome.error.c_str());
  std::printf("%s: refused in %lu statements, %lu of them failed\n", what.c_str(), outcome.refused, outcome.failed);
  return outcome.error.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
