#include "wire/command/completion.h"

#include <functional>

namespace indigo::wire {

namespace {

void each_name(const OutlinedOption& option, const std::function<void(const std::string&)>& visit) {
  if (!option.short_name.empty()) visit(option.short_name);
  if (!option.long_name.empty()) visit(option.long_name);
}

bool is_directory(std::string_view kind) { return kind == "DIR"; }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// What one word of a command may be; its value follows in the next one.
struct Bash {
  std::string commands;     // "indigo log"|"indigo log dump": a word goes one command down
  std::string directories;  // "indigo serve -D": a directory follows
  std::string values;       // "indigo serve -p": something that cannot be guessed follows
  std::string words;        // case arms that say what may stand there
};

void add_alternative(std::string& pattern, const std::string& words) {
  if (!pattern.empty()) pattern += " | ";
  pattern += "\"" + words + "\"";
}

std::string bash_script(const Outline& top) {
  Bash bash;
  for (const Outline* command : all_of(top)) {
    std::string words;
    const auto add_word = [&words](const std::string& word) { words += (words.empty() ? "" : " ") + word; };
    for (const Outline& below : command->commands) {
      add_alternative(bash.commands, below.words);
      add_word(below.name);
    }
    for (const OutlinedOption& option : command->options) {
      each_name(option, [&](const std::string& name) {
        add_word(name);
        if (option.value.empty()) return;
        add_alternative(is_directory(option.value) ? bash.directories : bash.values, command->words + " " + name);
      });
    }
    std::string files;
    for (const OutlinedArgument& argument : command->arguments) {
      for (const std::string& choice : argument.choices) add_word(choice);
      if (is_directory(argument.kind)) files = " directories=yes";
    }
    bash.words += "    \"" + command->words + "\") words=\"" + words + "\"" + files + " ;;\n";
  }
  return "# bash completion for indigo: source it, or keep it as /usr/share/bash-completion/completions/indigo\n"
         "_indigo() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=indigo words= directories= i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"$command ${COMP_WORDS[i]}\" in\n"
         "      " +
         bash.commands +
         ") command+=\" ${COMP_WORDS[i]}\" ;;\n"
         "      \"indigo run --\")\n"
         "        mapfile -t COMPREPLY < <(compgen -c -f -- \"$current\")\n"
         "        return ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$command $previous\" in\n"
         "    " +
         bash.directories +
         ")\n"
         "      mapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n"
         "      return ;;\n"
         "    " +
         bash.values +
         ") return ;;\n"
         "  esac\n"
         "  case \"$command\" in\n" +
         bash.words +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  if [ -n \"$directories\" ]; then\n"
         "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _indigo indigo\n";
}

std::string zsh_quoted(const std::string& text) {
  std::string out = replaced(text, "'", "'\\''");
  for (const char* special : {"[", "]", ":"}) out = replaced(out, special, std::string("\\") + special);
  return out;
}

// One function for each command; those with commands below dispatch to them.
std::string zsh_script(const Outline& top) {
  std::string out = "#compdef indigo\n# zsh completion for indigo: keep it as _indigo in a folder of $fpath\n";
  for (const Outline* command : all_of(top)) {
    out += "\n_" + replaced(command->words, " ", "_") + "() {\n  _arguments -C -S";
    for (const OutlinedOption& option : command->options) {
      each_name(option, [&](const std::string& name) {
        out += " \\\n    '" + name + "[" + zsh_quoted(option.description) + "]";
        if (!option.value.empty()) out += ":" + option.value + ":" + (is_directory(option.value) ? "_files -/" : " ");
        out += "'";
      });
    }
    for (const OutlinedArgument& argument : command->arguments) {
      std::string action = is_directory(argument.kind) ? "_files -/" : " ";
      if (argument.kind == "COMMAND") action = "_normal";
      for (size_t i = 0; i < argument.choices.size(); i++) {
        action = (i == 0 ? "(" : action.substr(0, action.size() - 1) + " ") + argument.choices[i] + ")";
      }
      out += std::string(" \\\n    '") + (argument.kind == "COMMAND" ? "*:" : ":") + ":" + argument.name + ":" +
             action + "'";
    }
    if (command->commands.empty()) {
      out += "\n}\n";
      continue;
    }
    out += " \\\n    '1:command:((";
    for (const Outline& below : command->commands) {
      out += below.name + "\\:\"" + replaced(zsh_quoted(below.description), "\"", "") + "\" ";
    }
    out += "))' \\\n    '*::argument:->below'\n  [[ $state == below ]] || return\n  case $words[1] in\n";
    for (const Outline& below : command->commands) {
      out += "    " + below.name + ") _" + replaced(below.words, " ", "_") + " ;;\n";
    }
    out += "  esac\n}\n";
  }
  return out + "\n_indigo \"$@\"\n";
}

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_script(const Outline& top) {
  std::string out =
      "# fish completion for indigo: keep it as ~/.config/fish/completions/indigo.fish\ncomplete -c indigo -f\n";
  for (const Outline* command : all_of(top)) {
    std::string below_names;
    for (const Outline& below : command->commands) below_names += " " + below.name;
    std::string condition = command == &top ? "" : "__fish_seen_subcommand_from " + command->name;
    if (!below_names.empty()) {
      condition += (condition.empty() ? "" : "; and ") + std::string("not __fish_seen_subcommand_from") + below_names;
    }
    const std::string prefix = "complete -c indigo -n " + fish_quoted(condition);
    for (const Outline& below : command->commands) {
      out += prefix + " -a " + below.name + " -d " + fish_quoted(below.description) + "\n";
    }
    for (const OutlinedOption& option : command->options) {
      out += prefix;
      if (!option.short_name.empty()) out += " -s " + option.short_name.substr(1);
      if (!option.long_name.empty()) out += " -l " + option.long_name.substr(2);
      if (!option.value.empty()) out += is_directory(option.value) ? " -x -a '(__fish_complete_directories)'" : " -x";
      out += " -d " + fish_quoted(option.description) + "\n";
    }
    for (const OutlinedArgument& argument : command->arguments) {
      if (is_directory(argument.kind)) out += prefix + " -a '(__fish_complete_directories)'\n";
      if (argument.kind == "COMMAND") out += prefix + " -a '(__fish_complete_subcommand)'\n";
      for (const std::string& choice : argument.choices) out += prefix + " -a " + choice + "\n";
    }
  }
  return out;
}

}  // namespace

const std::vector<std::string>& completed_shells() {
  static const std::vector<std::string> shells = {"bash", "fish", "zsh"};
  return shells;
}

std::optional<std::string> completion_script(const Outline& outline, std::string_view shell) {
  if (shell == "bash") return bash_script(outline);
  if (shell == "zsh") return zsh_script(outline);
  if (shell == "fish") return fish_script(outline);
  return std::nullopt;
}

}  // namespace indigo::wire
