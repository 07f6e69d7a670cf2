// EXPLAIN's four formats, laid out as PostgreSQL lays them out.
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "sql/explain/explain_tree.h"

namespace indigo::sql {
namespace {

using Where = ExplainProperty::Where;
using Kind = ExplainProperty::Kind;

__attribute__((format(printf, 1, 2))) std::string print(const char* format, ...) {
  char buffer[128];
  va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return std::string(buffer, static_cast<size_t>(std::min<int>(n, sizeof buffer - 1)));
}

// Averages over the loops, in milliseconds and rows.
struct Averages {
  double startup, total, rows;
  explicit Averages(const PlanCounters& c) {
    const double loops = c.loops == 0 ? 1 : static_cast<double>(c.loops);
    startup = std::chrono::duration<double, std::milli>(c.startup).count() / loops;
    total = std::chrono::duration<double, std::milli>(c.total).count() / loops;
    rows = static_cast<double>(c.rows) / loops;
  }
};

class TextFormat {
 public:
  explicit TextFormat(const ExplainOptions& options) : options_(options) {}

  std::string format(const Explained& e) {
    if (options_.logged) out_ += "Query Text: " + e.query_text + "\n";
    node(e.root, 0);
    if (!e.settings.empty()) {
      out_ += "Settings: ";
      const char* comma = "";
      for (const auto& [name, value] : e.settings) {
        out_ += comma + name + " = '" + value + "'";
        comma = ", ";
      }
      out_ += "\n";
    }
    if (options_.summary) out_ += print("Planning Time: %.3f ms\n", e.planning_ms);
    if (options_.summary && options_.analyze) out_ += print("Execution Time: %.3f ms\n", e.execution_ms);
    out_.pop_back();
    return std::move(out_);
  }

 private:
  void indent(int n) { out_.append(static_cast<size_t>(n) * 2, ' '); }

  void node(const ExplainNode& n, int level) {
    if (!n.subplan_name.empty()) {
      indent(level++);
      out_ += n.subplan_name + "\n";
    }
    if (level > 0) {
      indent(level);
      out_ += "->  ";
      level += 2;
    }
    out_ += n.title;
    if (options_.costs) {
      out_ += print("  (cost=%.2f..%.2f rows=%.0f width=%d)", n.startup_cost, n.total_cost, n.rows, n.width);
    }
    if (options_.analyze) actual(n.counters);
    out_ += "\n";
    level++;
    for (const ExplainProperty& p : n.properties) {
      if (p.where == Where::kStructured) continue;
      indent(level);
      out_ += p.label + ": ";
      if (p.kind == Kind::kList) {
        for (size_t i = 0; i < p.items.size(); i++) out_ += (i == 0 ? "" : ", ") + p.items[i];
      } else {
        out_ += p.value;
      }
      out_ += "\n";
    }
    for (const ExplainNode& child : n.children) node(child, level);
  }

  void actual(const PlanCounters& c) {
    if (c.loops == 0) {
      out_ += " (never executed)";
      return;
    }
    const Averages a(c);
    if (options_.timing) {
      out_ += print(" (actual time=%.3f..%.3f rows=%.0f loops=%.0f)", a.startup, a.total, a.rows,
                    static_cast<double>(c.loops));
    } else {
      out_ += print(" (actual rows=%.0f loops=%.0f)", a.rows, static_cast<double>(c.loops));
    }
  }

  const ExplainOptions& options_;
  std::string out_;
};

// JSON, YAML and XML: the same properties and groups in the same order, written differently.
class StructuredFormat {
 public:
  explicit StructuredFormat(const ExplainOptions& options) : options_(options) {}
  virtual ~StructuredFormat() = default;

  std::string format(const Explained& e) {
    begin();
    if (options_.logged) {
      scalar("Query Text", e.query_text, true);
    } else {
      open("Query", false, false);
    }
    plan(e.root, true);
    if (options_.settings) {
      open("Settings", true, false);
      for (const auto& [name, value] : e.settings) scalar(name, value, true);
      close("Settings", false);
    }
    if (options_.summary) scalar("Planning Time", print("%.3f", e.planning_ms), false);
    if (options_.analyze && options_.triggers) {
      open("Triggers", true, true);
      close("Triggers", true);
    }
    if (options_.summary && options_.analyze) scalar("Execution Time", print("%.3f", e.execution_ms), false);
    if (!options_.logged) close("Query", false);
    end();
    return std::move(out_);
  }

 protected:
  virtual void begin() = 0;
  virtual void end() = 0;
  // A group: labelled in its parent, or an element of a list; itself a list (`list`) or an object.
  virtual void open(const std::string& name, bool labelled, bool list) = 0;
  virtual void close(const std::string& name, bool list) = 0;
  virtual void scalar(const std::string& label, const std::string& value, bool quoted) = 0;
  virtual void items(const std::string& label, const std::vector<std::string>& values) = 0;

  const ExplainOptions& options_;
  std::string out_;

 private:
  void properties(const std::vector<ExplainProperty>& all) {
    for (const ExplainProperty& p : all) {
      if (p.where == Where::kText) continue;
      if (p.kind == Kind::kList) {
        items(p.label, p.items);
      } else {
        scalar(p.label, p.value, p.kind == Kind::kText);
      }
    }
  }

  void plan(const ExplainNode& n, bool labelled) {
    open("Plan", labelled, false);
    scalar("Node Type", n.type, true);
    properties(n.kind);
    if (!n.relationship.empty()) scalar("Parent Relationship", n.relationship, true);
    if (!n.subplan_name.empty()) scalar("Subplan Name", n.subplan_name, true);
    scalar("Parallel Aware", "false", false);
    scalar("Async Capable", "false", false);
    properties(n.head);
    if (options_.costs) {
      scalar("Startup Cost", print("%.2f", n.startup_cost), false);
      scalar("Total Cost", print("%.2f", n.total_cost), false);
      scalar("Plan Rows", print("%.0f", n.rows), false);
      scalar("Plan Width", print("%d", n.width), false);
    }
    if (options_.analyze) {
      const Averages a(n.counters);
      if (options_.timing) {
        scalar("Actual Startup Time", print("%.3f", a.startup), false);
        scalar("Actual Total Time", print("%.3f", a.total), false);
      }
      scalar("Actual Rows", print("%.0f", a.rows), false);
      scalar("Actual Loops", print("%.0f", static_cast<double>(n.counters.loops)), false);
    }
    properties(n.properties);
    if (options_.buffers) {
      // Tables are in memory: no block is ever read or written.
      for (const char* pool : {"Shared", "Local"}) {
        for (const char* what : {"Hit", "Read", "Dirtied", "Written"})
          scalar(std::string(pool) + " " + what + " Blocks", "0", false);
      }
      scalar("Temp Read Blocks", "0", false);
      scalar("Temp Written Blocks", "0", false);
    }
    if (options_.wal) {
      for (const char* what : {"Records", "FPI", "Bytes"}) scalar(std::string("WAL ") + what, "0", false);
    }
    if (!n.children.empty()) {
      open("Plans", true, true);
      for (const ExplainNode& child : n.children) plan(child, false);
      close("Plans", true);
    }
    close("Plan", false);
  }
};

std::string quoted_json(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += print("\\u%04x", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

class JsonFormat final : public StructuredFormat {
 public:
  using StructuredFormat::StructuredFormat;

 protected:
  void begin() override {
    out_ = options_.logged ? "{" : "[";
    first_ = {true};
  }
  void end() override { out_ += options_.logged ? "\n}" : "\n]"; }
  void open(const std::string& name, bool labelled, bool list) override {
    next();
    if (labelled) out_ += quoted_json(name) + ": ";
    out_ += list ? "[" : "{";
    first_.push_back(true);
  }
  void close(const std::string&, bool list) override {
    first_.pop_back();
    out_ += "\n" + std::string(first_.size() * 2, ' ') + (list ? "]" : "}");
  }
  void scalar(const std::string& label, const std::string& value, bool quoted) override {
    next();
    out_ += quoted_json(label) + ": " + (quoted ? quoted_json(value) : value);
  }
  void items(const std::string& label, const std::vector<std::string>& values) override {
    next();
    out_ += quoted_json(label) + ": [";
    for (size_t i = 0; i < values.size(); i++) out_ += (i == 0 ? "" : ", ") + quoted_json(values[i]);
    out_ += "]";
  }

 private:
  void next() {
    out_ += (first_.back() ? "\n" : ",\n") + std::string(first_.size() * 2, ' ');
    first_.back() = false;
  }
  std::vector<bool> first_;
};

class YamlFormat final : public StructuredFormat {
 public:
  using StructuredFormat::StructuredFormat;

 protected:
  void begin() override { fresh_ = true; }
  void end() override {}
  void open(const std::string& name, bool labelled, bool) override {
    if (labelled) {
      next();
      out_ += name + ": ";
      level_++;
      dashes_.push_back(false);
      return;
    }
    next();
    out_ += "- ";
    level_++;
    dashes_.push_back(true);
    glued_ = true;
  }
  void close(const std::string&, bool) override {
    level_--;
    dashes_.pop_back();
  }
  void scalar(const std::string& label, const std::string& value, bool quoted) override {
    next();
    out_ += label + ": " + (quoted ? quoted_json(value) : value);
  }
  void items(const std::string& label, const std::vector<std::string>& values) override {
    next();
    out_ += label + ": ";
    for (const std::string& v : values) {
      out_ += "\n" + std::string(static_cast<size_t>(level_ + 1) * 2, ' ') + "- " + quoted_json(v);
    }
  }

 private:
  void next() {
    if (glued_ || fresh_) {
      glued_ = fresh_ = false;
      return;
    }
    out_ += "\n" + std::string(static_cast<size_t>(level_) * 2, ' ');
  }
  int level_ = 0;
  bool fresh_ = true, glued_ = false;  // glued: the next line follows "- "
  std::vector<bool> dashes_;
};

class XmlFormat final : public StructuredFormat {
 public:
  using StructuredFormat::StructuredFormat;

 protected:
  void begin() override { out_ = "<explain xmlns=\"http://www.postgresql.org/2009/explain\">"; }
  void end() override { out_ += "\n</explain>"; }
  void open(const std::string& name, bool, bool) override {
    line();
    out_ += "<" + tag(name) + ">";
    level_++;
  }
  void close(const std::string& name, bool) override {
    level_--;
    line();
    out_ += "</" + tag(name) + ">";
  }
  void scalar(const std::string& label, const std::string& value, bool) override {
    line();
    out_ += "<" + tag(label) + ">" + escaped(value) + "</" + tag(label) + ">";
  }
  void items(const std::string& label, const std::vector<std::string>& values) override {
    open(label, true, true);
    for (const std::string& v : values) scalar("Item", v, true);
    close(label, true);
  }

 private:
  void line() { out_ += "\n" + std::string(static_cast<size_t>(level_) * 2, ' '); }
  static std::string tag(std::string name) {
    for (char& c : name) {
      const bool plain =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
      if (!plain) c = '-';
    }
    return name;
  }
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
      switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '\r': out += "&#x0d;"; break;
        default: out += c;
      }
    }
    return out;
  }
  int level_ = 1;
};

}  // namespace

std::string format_explained(const Explained& explained, const ExplainOptions& options) {
  switch (options.format) {
    case ExplainOptions::Format::kText: return TextFormat(options).format(explained);
    case ExplainOptions::Format::kJson: return JsonFormat(options).format(explained);
    case ExplainOptions::Format::kYaml: return YamlFormat(options).format(explained);
    case ExplainOptions::Format::kXml: return XmlFormat(options).format(explained);
  }
  return {};
}

}  // namespace indigo::sql
