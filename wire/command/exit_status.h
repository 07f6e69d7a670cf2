// What the process ends with. docs/settings.md and the manual page say the same.
#pragma once

#include <array>

namespace indigo::wire {

enum ExitStatus : int {
  kExitDone = 0,
  kExitFailed = 1,  // it could not be done; stderr says why
  kExitUsage = 2,   // the command line is wrong
  // indigo run, as env(1), timeout(1) and docker run have them:
  kExitOwnFailure = 125,
  kExitNotExecutable = 126,
  kExitNotFound = 127,
  kExitSignal = 128,  // and the signal's number
};

struct ExitMeaning {
  const char* status;
  const char* meaning;
};

inline constexpr std::array kExitMeanings = {
    ExitMeaning{"0", "It is done. A server has ended because it was asked to, by SIGTERM or SIGINT."},
    ExitMeaning{
        "1",
        "It failed, and stderr says why: a port that is taken, a damaged data directory, a setting's wrong value."},
    ExitMeaning{"2", "The command line is wrong: an unknown option, a missing argument."},
    ExitMeaning{"125", "indigo run: its server did not start."},
    ExitMeaning{"126", "indigo run: the command is there, but cannot be executed."},
    ExitMeaning{"127", "indigo run: there is no such command."},
    ExitMeaning{"128+N", "indigo run: signal N ended the command. Otherwise its own exit status is indigo's."},
};

}  // namespace indigo::wire
