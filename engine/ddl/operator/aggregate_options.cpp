#include <algorithm>

#include "engine/ddl/operator/aggregate_parts.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

namespace {

std::string folded(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char x) { return x >= 'A' && x <= 'Z' ? char(x + 32) : x; });
  return text;
}

Result<char> modify_of(const PgQuery__DefElem& d) {
  const std::string value = text_value(d.arg);
  if (value == "read_only") return 'r';
  if (value == "shareable") return 's';
  if (value == "read_write") return 'w';
  return Error(sqlstate::kSyntaxError,
               "parameter " + quoted(d.defname) + " must be READ_ONLY, SHAREABLE, or READ_WRITE");
}

class AggregateReader {
 public:
  AggregateReader(DdlContext& c, bool old_style) : c_(c), old_style_(old_style) {}

  Status read(const PgQuery__DefElem& d) {
    std::string_view name = d.defname;
    // The names of PostgreSQL 6.
    if (name == "sfunc1") name = "sfunc";
    if (name == "stype1") name = "stype";
    if (name == "initcond1") name = "initcond";
    if (NodeList* place = function_place(name)) {
      *place = option_name(d);
      return {};
    }
    if (name == "finalfunc_extra") return flag(out_.final_extra, d);
    if (name == "mfinalfunc_extra") return flag(out_.moving_final_extra, d);
    if (name == "hypothetical") return flag(out_.hypothetical, d);
    if (name == "finalfunc_modify" || name == "mfinalfunc_modify") {
      INDIGO_ASSIGN(const char modify, modify_of(d));
      (name[0] == 'm' ? out_.moving_final_modify : out_.final_modify) = modify;
      return {};
    }
    if (name == "basetype") return base_type(d);
    if (name == "stype") return state_type(out_.state, d);
    if (name == "mstype") return state_type(out_.moving_state, d);
    if (name == "sspace" || name == "msspace") {
      (name[0] == 'm' ? out_.moving_space : out_.state_space) = static_cast<int32_t>(integer_value(d.arg).value_or(0));
      return {};
    }
    if (name == "initcond") {
      out_.initial = text_value(d.arg);
      return {};
    }
    if (name == "minitcond") {
      out_.moving_initial = text_value(d.arg);
      return {};
    }
    if (name == "parallel") return parallel(d);
    warning(c_, sqlstate::kSyntaxError, "aggregate attribute " + quoted(d.defname) + " not recognized");
    return {};
  }

  Result<AggregateOptions> finish() {
    if (out_.state == kInvalidOid) return invalid_definition("aggregate stype must be specified");
    if (out_.transition.empty()) return invalid_definition("aggregate sfunc must be specified");
    if (out_.moving_state != kInvalidOid) {
      if (out_.moving_transition.empty())
        return invalid_definition("aggregate msfunc must be specified when mstype is specified");
      if (out_.moving_inverse.empty())
        return invalid_definition("aggregate minvfunc must be specified when mstype is specified");
    } else {
      const auto must_not = [](std::string_view what) {
        return invalid_definition("aggregate " + std::string(what) + " must not be specified without mstype");
      };
      if (!out_.moving_transition.empty()) return must_not("msfunc");
      if (!out_.moving_inverse.empty()) return must_not("minvfunc");
      if (!out_.moving_final.empty()) return must_not("mfinalfunc");
      if (out_.moving_space != 0) return must_not("msspace");
      if (out_.moving_initial) return must_not("minitcond");
    }
    if (old_style_ && !has_base_) return invalid_definition("aggregate input type must be specified");
    if (!old_style_ && has_base_)
      return invalid_definition("basetype is redundant with aggregate input type specification");
    if (!out_.serialize.empty() || !out_.deserialize.empty()) {
      if (out_.state != oid::kInternal) {
        return invalid_definition(
            "serialization functions may be specified only when the aggregate transition data type is internal");
      }
      if (out_.serialize.empty() || out_.deserialize.empty())
        return invalid_definition("must specify both or neither of serialization and deserialization functions");
    }
    return std::move(out_);
  }

 private:
  NodeList* function_place(std::string_view name) {
    if (name == "sfunc") return &out_.transition;
    if (name == "finalfunc") return &out_.final;
    if (name == "combinefunc") return &out_.combine;
    if (name == "serialfunc") return &out_.serialize;
    if (name == "deserialfunc") return &out_.deserialize;
    if (name == "msfunc") return &out_.moving_transition;
    if (name == "minvfunc") return &out_.moving_inverse;
    if (name == "mfinalfunc") return &out_.moving_final;
    if (name == "sortop") return &out_.sort_operator;
    return nullptr;
  }

  static Status flag(bool& place, const PgQuery__DefElem& d) {
    INDIGO_ASSIGN(place, option_flag(d));
    return {};
  }

  Status base_type(const PgQuery__DefElem& d) {
    has_base_ = true;
    if (folded(text_value(d.arg)) == "any") return {};
    INDIGO_ASSIGN(const TypeRef type, option_type(c_, d));
    out_.base = type.oid;
    return {};
  }

  Status state_type(Oid& place, const PgQuery__DefElem& d) {
    auto type = option_type(c_, d);
    if (!type.ok()) return Error(std::move(*type.take_error())).at(0);
    place = type->oid;
    return check_type_usage(c_, place);
  }

  Status parallel(const PgQuery__DefElem& d) {
    const std::string value = text_value(d.arg);
    if (value != "safe" && value != "restricted" && value != "unsafe")
      return Error(sqlstate::kSyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE");
    out_.parallel = value[0];
    return {};
  }

  DdlContext& c_;
  const bool old_style_;
  bool has_base_ = false;
  AggregateOptions out_;
};

}  // namespace

Result<AggregateOptions> read_aggregate_options(DdlContext& c, NodeList options, bool old_style) {
  AggregateReader reader(c, old_style);
  for (const PgQuery__Node* n : options) INDIGO_TRY(reader.read(*n->def_elem));
  return reader.finish();
}

}  // namespace indigo::engine::ddl
