// The command line as data: what completion scripts and the manual page are made of. Thread safety: a value.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace indigo::wire {

struct OutlinedOption {
  std::string short_name, long_name;  // "-p", "--port"; either may be empty
  std::string value;                  // "PORT", "DIR"; empty: it takes none
  std::string description;
};

struct OutlinedArgument {
  std::string name;  // "directory"
  std::string kind;  // "DIR", "COMMAND", "SHELL"
  std::vector<std::string> choices;
  std::string description;
};

struct Outline {
  std::string words;  // "indigo log dump"
  std::string name;   // "dump"
  std::string description;
  std::vector<OutlinedOption> options;
  std::vector<OutlinedArgument> arguments;
  std::vector<Outline> commands;
};

// `choices`: what arguments of the kind SHELL may be.
Outline outline_of(const CLI::App& app, const std::vector<std::string>& choices);

// An outline and all below it, from the top.
std::vector<const Outline*> all_of(const Outline& outline);

}  // namespace indigo::wire
