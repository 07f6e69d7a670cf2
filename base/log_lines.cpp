#include "base/log_lines.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "base/utf8.h"

namespace indigo {

namespace {

std::string_view severity_name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "DEBUG";
    case LogLevel::kInfo: return "LOG";
    case LogLevel::kWarning: return "WARNING";
    case LogLevel::kError: return "ERROR";
    case LogLevel::kFatal:
    case LogLevel::kSilent: return "FATAL";
  }
  return "";
}

std::string utc_time(std::time_t seconds, const char* format) {
  tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), strftime(text.data(), text.size(), format, &parts)};
}

std::string milliseconds_time(LogTime now) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count();
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03d UTC", static_cast<int>(ms % 1000));
  return utc_time(ms / 1000, "%Y-%m-%d %H:%M:%S") + fraction.data();
}

std::string session_start(const LogSource& source) { return utc_time(source.started, "%Y-%m-%d %H:%M:%S UTC"); }

// When the session began and which it is, in hexadecimal: no other has both.
std::string session_id(const LogSource& source) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%llx.%x", static_cast<unsigned long long>(source.started),
                static_cast<unsigned>(source.pid));
  return text.data();
}

// A text of several lines must not look like several messages: its other lines begin with a tab, as in PostgreSQL's log.
std::string indented(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += '\t';
  }
  return lines;
}

std::string quoted_json(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t valid = std::min(find_invalid_utf8(text), text.size());
    for (const char c : text.substr(0, valid)) {
      switch (c) {
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        default:
          if (static_cast<unsigned char>(c) >= ' ') {
            out += c;
          } else {
            std::array<char, 8> code{};
            std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
            out += code.data();
          }
      }
    }
    if (valid < text.size()) out += "\xef\xbf\xbd";  // U+FFFD in the place of what is no UTF-8
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  return out + "\"";
}

class JsonLine {
 public:
  // Nothing for an empty text.
  void add_text(std::string_view key, std::string_view value) {
    if (!value.empty()) add(key, quoted_json(value));
  }
  void add(std::string_view key, std::string_view value) {
    line_ += line_.empty() ? "{\"" : ",\"";
    line_.append(key).append("\":").append(value);
  }
  std::string take() && { return std::move(line_) + "}\n"; }

 private:
  std::string line_;
};

// Line feeds stay as they are: within quotes they are a part of the value.
std::string quoted_csv(std::string_view text, bool absent_if_empty = true) {
  if (text.empty() && absent_if_empty) return "";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += c;
    out += c;
  }
  return out + "\"";
}

std::string number_or_nothing(int number) { return number > 0 ? std::to_string(number) : ""; }

}  // namespace

std::string log_text(const LogRecord& record, const LogSource& source, LogTime now) {
  const std::string prefix = milliseconds_time(now) + " [" + std::to_string(source.pid) + "] ";
  std::string out;
  const auto add = [&](std::string_view label, std::string_view text, const std::string& behind) {
    if (text.empty() && label != severity_name(record.level)) return;
    out.append(prefix).append(label).append(":  ").append(indented(text)).append(behind).append("\n");
  };
  const int position = record.position > 0 ? record.position : record.internal_position;
  add(severity_name(record.level), record.message,
      position > 0 ? " at character " + std::to_string(position) : std::string());
  add("DETAIL", record.detail, "");
  add("HINT", record.hint, "");
  add("QUERY", record.internal_query, "");
  add("CONTEXT", record.context, "");
  add("STATEMENT", record.statement, "");
  return out;
}

std::string log_json(const LogRecord& record, const LogSource& source, LogTime now) {
  JsonLine line;
  line.add_text("timestamp", milliseconds_time(now));
  line.add_text("user", source.user);
  line.add_text("dbname", source.database);
  line.add("pid", std::to_string(source.pid));
  line.add_text("remote_host", source.remote_host);
  if (source.remote_port > 0) line.add("remote_port", std::to_string(source.remote_port));
  line.add_text("session_id", session_id(source));
  line.add("line_num", std::to_string(source.line));
  if (source.client) line.add("ps", quoted_json(source.activity));
  line.add_text("session_start", session_start(source));
  line.add_text("vxid", source.virtual_transaction);
  line.add("txid", std::to_string(static_cast<uint32_t>(source.transaction)));
  line.add_text("error_severity", severity_name(record.level));
  line.add_text("state_code", record.state);
  line.add("message", quoted_json(record.message));
  line.add_text("detail", record.detail);
  line.add_text("hint", record.hint);
  line.add_text("internal_query", record.internal_query);
  if (record.internal_position > 0) line.add("internal_position", std::to_string(record.internal_position));
  line.add_text("context", record.context);
  line.add_text("statement", record.statement);
  if (record.position > 0 && !record.statement.empty()) line.add("cursor_position", std::to_string(record.position));
  line.add_text("application_name", source.application);
  line.add_text("backend_type", source.backend_type);
  line.add("query_id", "0");
  return std::move(line).take();
}

std::string log_csv(const LogRecord& record, const LogSource& source, LogTime now) {
  const std::string from =
      source.remote_port > 0 ? source.remote_host + ":" + std::to_string(source.remote_port) : source.remote_host;
  const std::string fields[] = {
      milliseconds_time(now),
      quoted_csv(source.user),
      quoted_csv(source.database),
      std::to_string(source.pid),
      quoted_csv(from),
      session_id(source),
      std::to_string(source.line),
      quoted_csv(source.activity, !source.client),
      session_start(source),
      source.virtual_transaction,
      std::to_string(static_cast<uint32_t>(source.transaction)),
      std::string(severity_name(record.level)),
      record.state.empty() ? "00000" : std::string(record.state),
      quoted_csv(record.message),
      quoted_csv(record.detail),
      quoted_csv(record.hint),
      quoted_csv(record.internal_query),
      number_or_nothing(record.internal_query.empty() ? 0 : record.internal_position),
      quoted_csv(record.context),
      quoted_csv(record.statement),
      number_or_nothing(record.statement.empty() ? 0 : record.position),
      "",  // location: only with log_error_verbosity = verbose
      quoted_csv(source.application, false),
      quoted_csv(source.backend_type),
      "",  // leader_pid
      "0",
  };
  std::string out;
  for (const std::string& field : fields) out.append(out.empty() ? "" : ",").append(field);
  return out + "\n";
}

}  // namespace indigo
