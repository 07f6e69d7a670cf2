// From a function's name and argument types to one signature: variadic, default and named arguments.
#include <algorithm>

#include "sql/analyze/expression/overloads.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using types::FunctionInfo;

struct Signature {
  std::shared_ptr<const FunctionInfo> function;
  std::vector<Oid> declared;  // by the call's arguments, defaults excluded
  std::vector<int> order;
  bool variadic = false;
  int variadic_count = 0;
  bool ambiguous = false;  // another one of its schema looks the same to the caller
};

// Positional arguments, possibly fewer (defaults) or more (variadic) than the function declares.
bool match_positional(const FunctionInfo& f, const FunctionArguments& call, Signature& out) {
  const size_t given = call.types.size(), has = f.arguments.size();
  out.variadic = f.variadic != kInvalidOid && !call.variadic_keyword && given >= has;
  if (given < has && given + f.default_count < has) return false;
  if (given > has && !out.variadic) return false;
  if (call.variadic_keyword && f.variadic == kInvalidOid) return false;
  for (size_t i = 0; i < given; i++) {
    const bool repeated = out.variadic && i + 1 >= has;
    out.declared.push_back(repeated ? f.variadic : f.arguments[i]);
  }
  for (size_t i = 0; i < std::max(given, has); i++) out.order.push_back(i < given ? static_cast<int>(i) : -1);
  if (out.variadic) out.variadic_count = static_cast<int>(given - has + 1);
  return true;
}

// name => value: every name must be an input argument that is not given yet; what is missing must have a default.
bool match_named(const FunctionInfo& f, const FunctionArguments& call, Signature& out) {
  const size_t has = f.arguments.size(), given = call.types.size(), positional = given - call.names.size();
  if (given > has || (f.variadic != kInvalidOid && !call.variadic_keyword)) return false;
  std::vector<int> source(has, -1);
  for (size_t i = 0; i < positional; i++) source[i] = static_cast<int>(i);
  for (size_t i = positional; i < given; i++) {
    size_t input = 0;
    bool found = false;
    for (size_t k = 0; k < f.argument_names.size(); k++) {
      const char mode = k < f.argument_modes.size() ? f.argument_modes[k] : 'i';
      if (mode == 'o' || mode == 't') continue;
      if (f.argument_names[k] == call.names[i - positional]) {
        if (input >= has || source[input] >= 0) return false;
        source[input] = static_cast<int>(i);
        found = true;
        break;
      }
      input++;
    }
    if (!found) return false;
  }
  out.declared.resize(given);
  for (size_t i = 0; i < has; i++) {
    if (source[i] >= 0) {
      out.declared[source[i]] = f.arguments[i];
    } else if (i + f.default_count < has) {
      return false;
    }
  }
  out.order = std::move(source);
  return true;
}

// Of two signatures that look the same to the caller only the better one remains: the one found earlier in the search path,
// then the one without variadic expansion. Defaults make none the better one: a call that reaches these two is ambiguous.
bool hides(const Signature& a, const Signature& b) {
  if (a.function->schema != b.function->schema) return true;
  return !a.variadic && b.variadic;
}

// A routine as CALL sees it: its OUT parameters, and a function's columns, are parameters like the others. So CALL finds a
// function of these, and says that it is not a procedure.
std::shared_ptr<const FunctionInfo> with_outputs(const std::shared_ptr<const FunctionInfo>& f) {
  if (f->all_argument_types.empty()) return f;
  auto all = std::make_shared<FunctionInfo>(*f);
  all->arguments = f->all_argument_types;
  all->argument_modes.assign(all->arguments.size(), 'i');
  return all;
}

using Functions = std::vector<std::shared_ptr<const FunctionInfo>>;

// Whether the call may leave the rest of this function's arguments to their defaults, and has the types of those before.
bool begins_with(const FunctionInfo& f, const std::vector<Oid>& types) {
  return f.default_count > 0 && f.arguments.size() > types.size() &&
         f.arguments.size() <= types.size() + f.default_count &&
         std::equal(types.begin(), types.end(), f.arguments.begin());
}

// Most calls have just the types that a function declares; within one schema nothing is better than that, and only a function with
// defaults as good.
std::shared_ptr<const FunctionInfo> exact(const Functions& named, const FunctionArguments& call) {
  if (!call.names.empty() || call.variadic_keyword || call.with_outputs) return nullptr;
  std::shared_ptr<const FunctionInfo> found;
  for (const auto& f : named) {
    if (f->schema != named.front()->schema || begins_with(*f, call.types)) return nullptr;
    if (found == nullptr && f->variadic == kInvalidOid && f->arguments == call.types) found = f;
  }
  return found;
}

std::vector<Signature> signatures(const Functions& named, const FunctionArguments& call) {
  std::vector<Signature> list;
  for (const auto& found : named) {
    Signature s;
    s.function = call.with_outputs ? with_outputs(found) : found;
    const auto& function = s.function;
    const bool fits = call.names.empty() ? match_positional(*function, call, s) : match_named(*function, call, s);
    if (!fits) continue;
    // All in the list differ to the caller, so at most one looks like this one.
    const auto like =
        std::find_if(list.begin(), list.end(), [&](const Signature& l) { return l.declared == s.declared; });
    if (like == list.end()) {
      list.push_back(std::move(s));
    } else if (hides(*like, s)) {
      continue;
    } else if (hides(s, *like)) {
      *like = std::move(s);
    } else {
      like->ambiguous = true;
    }
  }
  return list;
}

// name(value) where name is a type: a cast that needs no function.
Oid cast_in_disguise(catalog::CatalogView& catalog, std::string_view schema, std::string_view name, Oid source) {
  const auto type = catalog.find_type(schema, name);
  if (!type || type->relation != kInvalidOid) return kInvalidOid;
  // As functions, a session's temporary types are not found by their bare names.
  if (schema.empty() && type->oid >= oid::kFirstUserOid && catalog.schema_name(type->schema).starts_with("pg_temp"))
    return kInvalidOid;
  if (source == oid::kUnknown) return type->oid;
  switch (find_path(catalog, type->oid, source, Coercion::kExplicit).kind) {
    case PathKind::kRelabel: return type->oid;
    case PathKind::kIo: {
      const bool row = source == oid::kRecord || is_composite(catalog, source);
      return row && type->category == 'S' ? kInvalidOid : type->oid;
    }
    default: return kInvalidOid;
  }
}

}  // namespace

Lookup find_function(catalog::CatalogView& catalog, std::string_view schema, std::string_view name,
                     const FunctionArguments& call, FunctionCall& out) {
  const Functions named = catalog.functions_named(schema, name);
  if (auto found = exact(named, call)) {
    out.function = std::move(found);
    out.declared = call.types;
    for (size_t i = 0; i < call.types.size(); i++) out.order.push_back(static_cast<int>(i));
    return Lookup::kFound;
  }
  std::vector<Signature> list = signatures(named, call);
  const auto take = [&](Signature& s) {
    if (s.ambiguous) return Lookup::kAmbiguous;
    out.function = s.function;
    out.declared = std::move(s.declared);
    out.order = std::move(s.order);
    out.variadic_expanded = s.variadic && s.function->variadic != oid::kAny;
    out.variadic_count = s.variadic_count;
    return Lookup::kFound;
  };
  for (Signature& s : list) {
    if (s.declared == call.types) return take(s);
  }
  if (call.single_plain && call.types.size() == 1) {
    out.coercion = cast_in_disguise(catalog, schema, name, call.types[0]);
    if (out.coercion != kInvalidOid) return Lookup::kFound;
  }
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < list.size(); i++)
    candidates.push_back({{list[i].declared.begin(), list[i].declared.end()}, i});
  candidates = matching(catalog, call.types, std::move(candidates));
  if (candidates.empty()) return Lookup::kNotFound;
  if (candidates.size() == 1) return take(list[candidates[0].index]);
  if (auto best = select_best(catalog, call.types, std::move(candidates))) return take(list[best->index]);
  return Lookup::kAmbiguous;
}

}  // namespace indigo::sql
