#include "engine/ddl/function/attributes.h"

#include <algorithm>
#include <cstdlib>

#include "engine/ddl/operator/definition.h"
#include "engine/ddl/tree.h"
#include "engine/settings/private_settings.h"
#include "engine/settings/set_argument.h"
#include "engine/settings/setting_table.h"

namespace indigo::engine::ddl {

namespace {

Error conflicting(DdlContext& c, const PgQuery__DefElem& d) {
  return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, d.location));
}

Result<float> positive(const PgQuery__DefElem& d, const char* name) {
  const std::string text = text_value(d.arg);
  const float value = std::strtof(text.c_str(), nullptr);
  if (value > 0) return value;
  return Error(sqlstate::kInvalidParameterValue, std::string(name) + " must be positive");
}

class Attributes {
 public:
  Attributes(DdlContext& c, bool procedure) : c_(c), procedure_(procedure) {}

  Status read(const PgQuery__DefElem& d) {
    const std::string_view name = d.defname;
    if (name == "as") return body(d);
    if (name == "language") return once(out_.language, text_value(d.arg), d);
    if (name == "set") return setting(*d.arg->variable_set_stmt);
    if (name == "security") {
      INDIGO_ASSIGN(const bool on, boolean_value(&d));
      return once(out_.security_definer, on, d);
    }
    if (procedure_ && name != "transform") return not_of_procedures(d);
    if (name == "volatility") return volatility(d);
    if (name == "parallel") return parallel(d);
    if (name == "strict") return flag(out_.strict, d);
    if (name == "leakproof") return flag(out_.leakproof, d);
    if (name == "window") return flag(out_.window, d);
    if (name == "cost") {
      INDIGO_ASSIGN(const float value, positive(d, "COST"));
      return once(out_.cost, value, d);
    }
    if (name == "rows") {
      INDIGO_ASSIGN(const float value, positive(d, "ROWS"));
      return once(out_.rows, value, d);
    }
    if (name == "support") {
      if (support_ != nullptr) return conflicting(c_, d);
      support_ = &d;
      return {};
    }
    return unsupported(std::string(name == "transform" ? "TRANSFORM" : name) + " of a function");
  }

  Result<RoutineAttributes> take() {
    if (support_ != nullptr) {
      INDIGO_ASSIGN(out_.support, support_function());
    }
    return std::move(out_);
  }

 private:
  template <class T>
  Status once(std::optional<T>& place, T value, const PgQuery__DefElem& d) {
    if (place) return conflicting(c_, d);
    place = std::move(value);
    return {};
  }

  Result<Oid> support_function() {
    const NodeList name = nodes(support_->arg->list->n_items, support_->arg->list->items);
    const std::string text = sql::name_list_text(name);
    const std::vector<Oid> types = {oid::kInternal};
    const auto found = find_exact_function(c_, name, types);
    if (!found.ok()) return Error(sqlstate::kUndefinedFunction, "function " + text + "(internal) does not exist");
    if ((*found)->result != oid::kInternal) {
      return Error(sqlstate::kInvalidObjectDefinition, "support function " + text + " must return type internal");
    }
    if (!c_.catalog.is_superuser(c_.catalog.user()))
      return Error(sqlstate::kInsufficientPrivilege, "must be superuser to specify a support function");
    return (*found)->oid;
  }

  Status flag(std::optional<bool>& place, const PgQuery__DefElem& d) {
    INDIGO_ASSIGN(const bool on, boolean_value(&d));
    return once(place, on, d);
  }

  Status not_of_procedures(const PgQuery__DefElem& d) {
    return Error(kInvalidFunctionDefinition, "invalid attribute in procedure definition").at(position(c_, d.location));
  }

  Status body(const PgQuery__DefElem& d) {
    if (out_.source) return conflicting(c_, d);
    std::vector<std::string> parts;
    if (is(d.arg, PG_QUERY__NODE__NODE_LIST)) {
      for (const PgQuery__Node* n : nodes(d.arg->list->n_items, d.arg->list->items)) parts.emplace_back(string_of(n));
    } else {
      parts.emplace_back(string_of(d.arg));
    }
    out_.source = parts.back();
    if (parts.size() > 1) out_.object_file = parts.front();
    return {};
  }

  Status volatility(const PgQuery__DefElem& d) {
    const std::string word = text_value(d.arg);
    return once(out_.volatility, word == "immutable" ? 'i' : word == "stable" ? 's' : 'v', d);
  }

  Status parallel(const PgQuery__DefElem& d) {
    const std::string word = text_value(d.arg);
    if (word != "safe" && word != "unsafe" && word != "restricted") {
      return Error(sqlstate::kSyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE");
    }
    return once(out_.parallel, word[0], d);
  }

  Status setting(const PgQuery__VariableSetStmt& s) {
    RoutineAttributes::Setting set;
    switch (s.kind) {
      case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL: set.all = true; break;
      case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET:
      case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT: set.name = setting_name(s.name); break;
      case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_CURRENT: {
        set.name = setting_name(s.name);
        std::string value;
        if (!c_.host.session().setting(s.name, value)) {
          return Error(sqlstate::kUndefinedObject, "unrecognized configuration parameter " + quoted(s.name));
        }
        set.value = std::move(value);
        break;
      }
      default: {
        set.name = setting_name(s.name);
        INDIGO_ASSIGN(set.value, set_argument(c_.host.session(), s));
        break;
      }
    }
    if (!set.all) {
      if (const auto index = find_setting(set.name)) {
        const SettingDefinition& d = setting_table()[*index];
        INDIGO_TRY(check_settable(d, may_set_as_superuser(c_.catalog, c_.catalog.user(), set.name)));
        if (set.value) INDIGO_TRY(parse_setting(d, *set.value));
      }
    }
    out_.settings.push_back(std::move(set));
    return {};
  }

  DdlContext& c_;
  const bool procedure_;
  const PgQuery__DefElem* support_ = nullptr;
  RoutineAttributes out_;
};

}  // namespace

Result<RoutineAttributes> read_attributes(DdlContext& c, NodeList options, bool procedure) {
  Attributes attributes(c, procedure);
  for (const PgQuery__Node* n : options) INDIGO_TRY(attributes.read(*n->def_elem));
  return attributes.take();
}

std::vector<std::string> changed_settings(std::vector<std::string> now,
                                          const std::vector<RoutineAttributes::Setting>& by) {
  for (const RoutineAttributes::Setting& s : by) {
    if (s.all) {
      now.clear();
      continue;
    }
    const auto at =
        std::find_if(now.begin(), now.end(), [&](const std::string& line) { return line.starts_with(s.name + "="); });
    if (!s.value) {
      if (at != now.end()) now.erase(at);
    } else if (at != now.end()) {
      *at = s.name + "=" + *s.value;
    } else {
      now.push_back(s.name + "=" + *s.value);
    }
  }
  return now;
}

}  // namespace indigo::engine::ddl
