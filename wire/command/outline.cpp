#include "wire/command/outline.h"

#include <CLI/CLI.hpp>

namespace indigo::wire {

namespace {

// "SHELL:{bash,fish,zsh}" -> "SHELL": what follows are the checks.
std::string kind_of(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

Outline outline_below(const CLI::App& app, const std::string& above, const std::vector<std::string>& choices) {
  Outline outline;
  outline.name = app.get_name();
  outline.words = above.empty() ? outline.name : above + " " + outline.name;
  outline.description = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      const std::string kind = kind_of(*option);
      outline.arguments.push_back({option->get_name(), kind, {}, option->get_description()});
      if (kind == "SHELL") outline.arguments.back().choices = choices;
      continue;
    }
    OutlinedOption& out = outline.options.emplace_back();
    if (!option->get_snames().empty()) out.short_name = "-" + option->get_snames().front();
    if (!option->get_lnames().empty()) out.long_name = "--" + option->get_lnames().front();
    if (option->get_items_expected_max() > 0) out.value = kind_of(*option);
    out.description = option->get_description();
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    outline.commands.push_back(outline_below(*command, outline.words, choices));
  }
  return outline;
}

void append(const Outline& outline, std::vector<const Outline*>& all) {
  all.push_back(&outline);
  for (const Outline& command : outline.commands) append(command, all);
}

}  // namespace

Outline outline_of(const CLI::App& app, const std::vector<std::string>& choices) {
  return outline_below(app, "", choices);
}

std::vector<const Outline*> all_of(const Outline& outline) {
  std::vector<const Outline*> all;
  append(outline, all);
  return all;
}

}  // namespace indigo::wire
