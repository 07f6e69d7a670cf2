#include "types/extension/script.h"

namespace indigo::types {

std::string function_script(std::span<const ScriptFunction> functions) {
  std::string out;
  for (const ScriptFunction& f : functions) {
    const std::string_view symbol = f.symbol.empty() ? f.signature.substr(0, f.signature.find('(')) : f.symbol;
    out.append("create function ").append(f.signature).append(" returns ").append(f.result);
    out.append(" as 'MODULE_PATHNAME', '").append(symbol).append("' language c ");
    if (f.attributes.find("parallel") == std::string_view::npos) out += "parallel safe ";
    out.append(f.attributes).append(";\n");
  }
  return out;
}

std::string operator_script(std::span<const ScriptOperator> operators) {
  std::string out;
  for (const ScriptOperator& o : operators) {
    out.append("create operator ").append(o.name).append(" (");
    if (!o.left.empty()) out.append("leftarg = ").append(o.left).append(", ");
    out.append("rightarg = ").append(o.right).append(", procedure = ").append(o.function);
    out.append(o.clauses).append(");\n");
  }
  return out;
}

std::string filled_in(std::string_view shape, std::string_view value) {
  std::string out;
  for (const char c : shape) c == '$' ? out.append(value) : out.append(1, c);
  return out;
}

}  // namespace indigo::types
