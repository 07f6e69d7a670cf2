#include "base/fiber/stack.h"
#include "types/json/json_parser.h"
#include "types/jsonpath/path.h"
#include "types/numeric/numeric.h"

namespace indigo::types {

namespace {

int priority(PathOp op) {
  switch (op) {
    case PathOp::kOr: return 0;
    case PathOp::kAnd: return 1;
    case PathOp::kEqual:
    case PathOp::kNotEqual:
    case PathOp::kLess:
    case PathOp::kGreater:
    case PathOp::kLessOrEqual:
    case PathOp::kGreaterOrEqual:
    case PathOp::kStartsWith: return 2;
    case PathOp::kAdd:
    case PathOp::kSubtract: return 3;
    case PathOp::kMultiply:
    case PathOp::kDivide:
    case PathOp::kModulo: return 4;
    case PathOp::kPlus:
    case PathOp::kMinus: return 5;
    default: return 6;
  }
}

class Printer {
 public:
  explicit Printer(const JsonPath& path) : path_(path) {}
  std::string out;

  void print(int32_t first, bool in_key, bool brackets) {
    if (stack_remaining() == 0) return;  // deeper than any text that was read
    for (int32_t at = first; at >= 0; at = path_.at(at).next) {
      one(path_.at(at), in_key, brackets);
      in_key = brackets = true;
    }
  }

 private:
  void operand(int32_t at, PathOp parent) { print(at, false, priority(path_.at(at).op) <= priority(parent)); }

  void one(const PathItem& p, bool in_key, bool brackets) {
    switch (p.op) {
      case PathOp::kNull: out.append("null"); return;
      case PathOp::kTrue: out.append("true"); return;
      case PathOp::kFalse: out.append("false"); return;
      case PathOp::kNumeric:
        if (p.next >= 0) out.push_back('(');
        append_numeric_text(p.text, out);
        if (p.next >= 0) out.push_back(')');
        return;
      case PathOp::kString: return append_json_string(p.text, out);
      case PathOp::kVariable: out.push_back('$'); return append_json_string(p.text, out);
      case PathOp::kRoot: out.push_back('$'); return;
      case PathOp::kCurrent: out.push_back('@'); return;
      case PathOp::kLast: out.append("last"); return;
      case PathOp::kKey:
        if (in_key) out.push_back('.');
        return append_json_string(p.text, out);
      case PathOp::kAnyKey: out.append(in_key ? ".*" : "*"); return;
      case PathOp::kAnyArray: out.append("[*]"); return;
      case PathOp::kIndexArray: return subscripts(p);
      case PathOp::kAny:
        if (in_key) out.push_back('.');
        return levels(p);
      case PathOp::kFilter:
        out.append("?(");
        print(p.left, false, false);
        out.push_back(')');
        return;
      case PathOp::kType:
      case PathOp::kSize:
      case PathOp::kAbs:
      case PathOp::kFloor:
      case PathOp::kCeiling:
      case PathOp::kDouble:
      case PathOp::kDatetime:
      case PathOp::kKeyValue:
        out.append(".").append(path_op_name(p.op)).append("(");
        if (p.left >= 0) print(p.left, false, false);
        out.push_back(')');
        return;
      case PathOp::kPlus:
      case PathOp::kMinus:
        if (brackets) out.push_back('(');
        out.append(path_op_name(p.op));
        operand(p.left, p.op);
        if (brackets) out.push_back(')');
        return;
      case PathOp::kNot:
        out.append("!(");
        print(p.left, false, false);
        out.push_back(')');
        return;
      case PathOp::kIsUnknown:
        out.push_back('(');
        print(p.left, false, false);
        out.append(") is unknown");
        return;
      case PathOp::kExists:
        out.append("exists (");
        print(p.left, false, false);
        out.push_back(')');
        return;
      case PathOp::kLikeRegex: return like_regex(p, brackets);
      default: break;
    }
    if (brackets) out.push_back('(');
    operand(p.left, p.op);
    out.append(" ").append(path_op_name(p.op)).append(" ");
    operand(p.right, p.op);
    if (brackets) out.push_back(')');
  }

  void subscripts(const PathItem& p) {
    out.push_back('[');
    for (size_t i = 0; i < p.subscripts.size(); i++) {
      if (i > 0) out.push_back(',');
      print(p.subscripts[i].from, false, false);
      if (p.subscripts[i].to < 0) continue;
      out.append(" to ");
      print(p.subscripts[i].to, false, false);
    }
    out.push_back(']');
  }
  void levels(const PathItem& p) {
    const auto name = [](uint32_t n) { return n == kPathLastLevel ? std::string("last") : std::to_string(n); };
    out.append("**");
    if (p.first == 0 && p.last == kPathLastLevel) return;
    out.append("{").append(name(p.first));
    if (p.first != p.last) out.append(" to ").append(name(p.last));
    out.push_back('}');
  }
  void like_regex(const PathItem& p, bool brackets) {
    if (brackets) out.push_back('(');
    operand(p.left, p.op);
    out.append(" like_regex ");
    append_json_string(p.text, out);
    const PathRegexFlags& f = p.flags;
    if (f.ignore_case || f.dot_all || f.multi_line || f.expanded || f.quote) {
      out.append(" flag \"");
      if (f.ignore_case) out.push_back('i');
      if (f.dot_all) out.push_back('s');
      if (f.multi_line) out.push_back('m');
      if (f.expanded) out.push_back('x');
      if (f.quote) out.push_back('q');
      out.push_back('"');
    }
    if (brackets) out.push_back(')');
  }

  const JsonPath& path_;
};

}  // namespace

const char* path_op_name(PathOp op) {
  switch (op) {
    case PathOp::kType: return "type";
    case PathOp::kSize: return "size";
    case PathOp::kAbs: return "abs";
    case PathOp::kFloor: return "floor";
    case PathOp::kCeiling: return "ceiling";
    case PathOp::kDouble: return "double";
    case PathOp::kDatetime: return "datetime";
    case PathOp::kKeyValue: return "keyvalue";
    case PathOp::kAdd:
    case PathOp::kPlus: return "+";
    case PathOp::kSubtract:
    case PathOp::kMinus: return "-";
    case PathOp::kMultiply: return "*";
    case PathOp::kDivide: return "/";
    case PathOp::kModulo: return "%";
    case PathOp::kEqual: return "==";
    case PathOp::kNotEqual: return "!=";
    case PathOp::kLess: return "<";
    case PathOp::kGreater: return ">";
    case PathOp::kLessOrEqual: return "<=";
    case PathOp::kGreaterOrEqual: return ">=";
    case PathOp::kAnd: return "&&";
    case PathOp::kOr: return "||";
    case PathOp::kStartsWith: return "starts with";
    default: return "";
  }
}

std::string json_path_text(const JsonPath& path) {
  Printer printer(path);
  printer.print(path.root, false, true);
  return (path.strict ? "strict " : "") + printer.out;
}

}  // namespace indigo::types
