// Runs the calls of tests/oracle/recorded/ through the kernels and compares with what PostgreSQL 15 answered
// (tests/oracle/record.py). Each call is made over a vector, as a constant, and with a selection; results must agree.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/unit/types/function/test_session.h"
#include "types/function/registry.h"
#include "types/text/strings.h"

namespace indigo::types {
namespace {

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (!line.empty() && line.back() == separator) parts.emplace_back();
  return parts;
}
std::string unescape(const std::string& s) {
  std::string out;
  for (size_t i = 0; i < s.size(); i++) {
    if (s[i] != '\\' || i + 1 == s.size()) {
      out.push_back(s[i]);
    } else {
      const char c = s[++i];
      out.push_back(c == 'n' ? '\n' : c == 't' ? '\t' : c);
    }
  }
  return out;
}
std::string escape(const std::string& s) {
  return replace_all(replace_all(replace_all(s, "\\", "\\\\"), "\n", "\\n"), "\t", "\\t");
}

class Runner {
 public:
  Runner() : context_(session_) { context_.set_arena(&arena_); }

  std::string failure() {
    const auto error = context_.take_error();
    return "! " + std::string(error->state.text()) + " " + escape(error->message);
  }

  std::string show(const TypeRef& type, const Datum& d) {
    if (d.null) return "= \\N";
    std::string text;
    type_output(context_, type, d, text);
    return "= " + escape(text);
  }

  // False: an argument is not accepted by its type, which fails the test.
  bool read_arguments(const std::vector<std::string>& types, std::span<const std::string> texts, CallInfo& call,
                      std::vector<Datum>& out) {
    for (size_t i = 0; i < texts.size(); i++) {
      const TypeRef type{static_cast<Oid>(std::stoul(types[i])), -1, kInvalidOid};
      call.arguments.push_back(type);
      if (texts[i] == "\\N") {
        out.push_back(Datum::make_null(phys(type.oid)));
      } else {
        out.push_back(type_input(context_, type, arena_.copy(unescape(texts[i]))));
        if (context_.failed()) return false;
      }
    }
    return true;
  }
  Phys phys(Oid type) {
    const auto info = session_.view.type(type);
    return info ? info->phys : physical_of(type);
  }

  enum class Form { kVector, kConstant, kSelection };
  std::string call(const ScalarFunction& function, const CallInfo& info, const std::vector<Datum>& values, bool strict,
                   Form form) {
    if (strict && std::any_of(values.begin(), values.end(), [](const Datum& d) { return d.null; }) &&
        form == Form::kConstant) {
      // The wrappers decide; nothing special here.
    }
    std::vector<Vector> vectors(values.size());
    std::vector<const Vector*> pointers;
    const uint32_t rows = form == Form::kVector ? 3 : 5;
    for (size_t i = 0; i < values.size(); i++) {
      if (form == Form::kConstant) {
        vectors[i].set_constant(values[i]);
      } else {
        vectors[i].init(values[i].phys, rows);
        for (uint32_t r = 0; r < rows; r++) vectors[i].set_datum(r, values[i]);
      }
      pointers.push_back(&vectors[i]);
    }
    Vector out(phys(info.result.oid), rows);
    const uint16_t selected[] = {1, 4};
    const Selection selection = form == Form::kSelection ? Selection{selected, 2} : Selection{nullptr, rows};
    function.kernel(context_, info, pointers, selection, out);
    if (context_.failed()) return failure();
    const std::string first = show(info.result, out.datum(selection[0]));
    EXPECT_EQ(first, show(info.result, out.datum(selection[selection.count - 1])));
    return first;
  }

  std::string run_call(const std::vector<std::string>& f) {
    const Oid oid = static_cast<Oid>(std::stoul(f[1]));
    const ScalarFunction* function = find_scalar(oid);
    if (function == nullptr) return "not built";
    CallInfo info;
    info.function = oid;
    info.result.oid = static_cast<Oid>(std::stoul(f[2]));
    std::vector<Datum> values;
    if (!read_arguments(split(f[3], ','), std::span(f).subspan(4, f.size() - 5), info, values))
      return "argument " + failure();
    const bool strict = session_.view.function(oid)->strict;
    const std::string vector = call(*function, info, values, strict, Form::kVector);
    EXPECT_EQ(vector, call(*function, info, values, strict, Form::kConstant));
    EXPECT_EQ(vector, call(*function, info, values, strict, Form::kSelection));
    return vector;
  }

  std::string run_set(const std::vector<std::string>& f, size_t outcome_at) {
    const Oid oid = static_cast<Oid>(std::stoul(f[1]));
    const SetFunction* function = find_set(oid);
    if (function == nullptr) return "not built";
    CallInfo info;
    info.function = oid;
    info.result.oid = static_cast<Oid>(std::stoul(f[2]));
    std::vector<Datum> values;
    if (!read_arguments(split(f[3], ','), std::span(f).subspan(4, outcome_at - 4), info, values))
      return "argument " + failure();
    auto producer = function->open(context_, info, values);
    if (context_.failed()) return failure();
    std::vector<Vector> columns;
    columns.emplace_back(phys(info.result.oid), 2);
    std::string text = "=";
    bool first = true;
    while (const uint32_t n = producer->next(context_, columns, 2)) {
      for (uint32_t r = 0; r < n; r++)
        text.append(first ? "" : "\t").append(show(info.result, columns[0].datum(r)).substr(first ? 1 : 2)),
            first = false;
      columns[0].init(phys(info.result.oid), 2);
    }
    if (context_.failed()) return failure();
    return first ? "= " : text;
  }

  std::string run_aggregate(const std::vector<std::string>& f) {
    const Oid oid = static_cast<Oid>(std::stoul(f[1]));
    const AggregateFunction* function = find_aggregate(oid);
    if (function == nullptr) return "not built";
    CallInfo info;
    info.function = oid;
    info.result.oid = static_cast<Oid>(std::stoul(f[2]));
    const std::vector<std::string> types = split(f[3], ',');
    const size_t width = types.size(), count = std::stoul(f[4]);
    const uint32_t rows = static_cast<uint32_t>(count / width);
    std::vector<Vector> vectors(width);
    std::vector<const Vector*> pointers;
    for (size_t c = 0; c < width; c++) {
      const TypeRef type{static_cast<Oid>(std::stoul(types[c])), -1, kInvalidOid};
      info.arguments.push_back(type);
      vectors[c].init(phys(type.oid), rows);
      pointers.push_back(&vectors[c]);
      for (uint32_t r = 0; r < rows; r++) {
        const std::string& text = f[5 + r * width + c];
        Datum d = Datum::make_null(phys(type.oid));
        if (text != "\\N") d = type_input(context_, type, arena_.copy(unescape(text)));
        if (context_.failed()) return "argument " + failure();
        vectors[c].set_datum(r, d);
      }
    }
    // A second group gets nothing; both must finish well.
    std::vector<Block16> memory((function->state_bytes + 15) / 16 * 2 + 2, Block16{{0, 0}});
    void* states[] = {memory.data(), memory.data() + memory.size() / 2};
    std::vector<void*> each(rows, states[0]);
    function->update(context_, info, pointers, Selection{nullptr, rows}, each.data());
    std::string text;
    if (!context_.failed()) {
      Vector out(phys(info.result.oid), 2);
      function->finalize(context_, info, states[0], out, 0);
      if (!context_.failed()) {
        function->finalize(context_, info, states[1], out, 1);
        text = show(info.result, out.datum(0));
      }
    }
    if (context_.failed()) text = failure();
    if (function->destroy != nullptr)
      for (void* state : states) function->destroy(state);
    return text;
  }

  std::string run_io(const std::vector<std::string>& f) {
    const TypeRef type{static_cast<Oid>(std::stoul(f[1])), std::stoi(f[2]), kInvalidOid};
    const Datum d = type_input(context_, type, arena_.copy(unescape(f[3])));
    if (context_.failed()) return failure();
    std::string binary, hex;
    type_send(context_, type, d, binary);
    append_hex(binary, hex);
    const std::string text = show(type, d);
    if (f.size() > 5 && f[5] == "-") return text + "\t-";
    const Datum back = type_receive(context_, type, binary);
    if (context_.failed()) return text + "\t" + hex + "\treceive " + failure();
    const std::string again = show(type, back);
    return text + "\t" + hex + (again == text ? "" : "\treceived " + again);
  }

  std::string run(const std::string& line, std::string& expected) {
    const std::vector<std::string> f = split(line, '\t');
    std::string actual;
    if (f[0] == "io") {
      expected = f[4] + (f.size() > 5 ? "\t" + f[5] : "");
      actual = run_io(f);
    } else if (f[0] == "call") {
      expected = f.back();
      actual = run_call(f);
    } else if (f[0] == "agg") {
      expected = f.back();
      actual = run_aggregate(f);
    } else if (f[0] == "set") {
      const size_t at = 4 + (f[3].empty() ? 0 : split(f[3], ',').size());
      for (size_t i = at; i < f.size(); i++) expected.append(i == at ? "" : "\t").append(f[i]);
      actual = run_set(f, at);
    }
    (void)context_.take_error();
    arena_.reset();
    return actual;
  }

 private:
  TestSession session_;
  Arena arena_;
  FuncContext context_;
};

TEST(Recorded, AnswersAsPostgresDid) {
  size_t calls = 0, wrong = 0;
  Runner runner;
  for (const auto& file : std::filesystem::directory_iterator("tests/oracle/recorded")) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      std::string expected;
      const std::string actual = runner.run(line, expected);
      calls++;
      if (actual == expected) continue;
      wrong++;
      ADD_FAILURE() << file.path().filename().string() << ": " << line << "\n  answered " << actual;
    }
  }
  std::cout << "recorded calls: " << calls << ", wrong: " << wrong << "\n";
  EXPECT_GT(calls, 0u);
}

}  // namespace
}  // namespace indigo::types
