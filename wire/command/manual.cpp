#include "wire/command/manual.h"

#include "base/version.h"
#include "wire/command/exit_status.h"

namespace indigo::wire {

namespace {

std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + troff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + troff(text) + "\\fR"; }

void add_synopsis(const Outline& command, std::string& page) {
  if (!command.commands.empty()) return;
  page += ".br\n" + bold(command.words);
  bool options = false;
  for (const OutlinedOption& option : command.options) options |= option.long_name != "--help";
  if (options) page += " [" + italic("option") + "]...";
  for (const OutlinedArgument& argument : command.arguments) {
    if (argument.kind == "COMMAND") {
      page += " -- " + italic("command") + " [" + italic("argument") + "]...";
    } else {
      page += " " + italic(argument.name);
    }
  }
  page += "\n";
}

void add_command(const Outline& command, std::string& page) {
  if (!command.commands.empty()) return;
  page += ".SS " + troff(command.words) + "\n" + troff(command.description) + ".\n";
  for (const OutlinedOption& option : command.options) {
    if (option.long_name == "--help") continue;
    page += ".TP\n";
    if (!option.short_name.empty()) page += bold(option.short_name);
    if (!option.short_name.empty() && !option.long_name.empty()) page += ", ";
    if (!option.long_name.empty()) page += bold(option.long_name);
    if (!option.value.empty()) page += " " + italic(option.value);
    page += "\n" + troff(option.description) + "\n";
  }
  for (const OutlinedArgument& argument : command.arguments) {
    page += ".TP\n" + italic(argument.name) + "\n" + troff(argument.description) + "\n";
  }
}

constexpr std::string_view kEnvironment =
    ".SH ENVIRONMENT\n"
    ".B indigo run\nsets PGHOST, PGPORT, PGUSER, PGDATABASE and DATABASE_URL for its command.\n"
    ".B indigo backup\nreads what libpq reads: PGHOST, PGPORT, PGUSER, PGPASSWORD, PGPASSFILE and others.\n";

constexpr std::string_view kExamples =
    ".SH EXAMPLES\n"
    "A server in memory on port 5432, and a client:\n.PP\n.nf\n    indigo serve\n    psql \\-h localhost \\-U "
    "postgres\n.fi\n"
    ".PP\nOne that keeps what is committed:\n.PP\n.nf\n    indigo serve \\-D data\n.fi\n"
    ".PP\nA database around a test run:\n.PP\n.nf\n    indigo run \\-\\- pytest\n.fi\n"
    ".SH SEE ALSO\n.BR psql (1),\n.BR pg_dump (1)\n";

}  // namespace

std::string manual_page(const Outline& outline) {
  std::string page = ".TH INDIGO 1 \"\" \"Indigo " + std::string(kVersion) + "\" \"\"\n.SH NAME\nindigo \\- " +
                     "PostgreSQL\\-compatible in\\-memory database\n.SH SYNOPSIS\n.nh\n.ad l\n";
  for (const Outline* command : all_of(outline)) add_synopsis(*command, page);
  page +=
      ".SH DESCRIPTION\nIndigo serves SQL over PostgreSQL's protocol, from memory. Each command has "
      "\\fB\\-\\-help\\fR.\n"
      ".SH COMMANDS\n";
  for (const Outline* command : all_of(outline)) add_command(*command, page);
  page += ".SH EXIT STATUS\n";
  for (const ExitMeaning& exit : kExitMeanings) {
    page += ".TP\n" + bold(exit.status) + "\n" + troff(exit.meaning) + "\n";
  }
  return page.append(kEnvironment).append(kExamples);
}

}  // namespace indigo::wire
