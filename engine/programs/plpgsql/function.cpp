#include "engine/programs/plpgsql/function.h"

#include <algorithm>
#include <mutex>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/trigger_info.h"
#include "catalog/tables/system_columns.h"
#include "engine/programs/plpgsql/extra_checks.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/session/current_message.h"
#include "engine/session/session_activity.h"
#include "engine/session/session_parts.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/type/coerce.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/parser.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/range/range_oids.h"
#include "types/system/type_name.h"
#include "types/text/ascii.h"
#include "types/text/strings.h"

namespace indigo::engine::programs {

namespace {

using sql::plpgsql::TypeText;

// "f(integer, text)", qualified when search_path does not find it.
std::string signature_of(SessionParts& session, const types::FunctionInfo& info) {
  if (info.oid == kInvalidOid) return info.name;
  catalog::SessionCatalog& catalog = session.session_catalog();
  bool visible = false;
  for (const auto& f : catalog.functions_named("", info.name)) visible = visible || f->oid == info.oid;
  std::string out = visible ? "" : types::quote_identifier(catalog.schema_name(info.schema)) + ".";
  out += types::quote_identifier(info.name) + "(";
  for (size_t i = 0; i < info.arguments.size(); i++) {
    if (i > 0) out += ",";
    out += types::format_type(catalog, info.arguments[i]);
  }
  return out + ")";
}

Phys phys_of(SessionParts& session, Oid type) {
  const auto info = session.session_catalog().type(type);
  return info != nullptr ? info->phys : Phys::kStr;
}

// How many characters the first `bytes` bytes are.
int characters(std::string_view text, int bytes) {
  return static_cast<int>(utf8_count(text.substr(0, static_cast<size_t>(bytes))));
}

// What a trigger function finds beside NEW and OLD, in the order that trigger.cpp fills them.
constexpr std::pair<const char*, Oid> kTriggerVariables[] = {
    {"tg_name", oid::kName},       {"tg_when", oid::kText},         {"tg_level", oid::kText},
    {"tg_op", oid::kText},         {"tg_relid", oid::kOid},         {"tg_relname", oid::kName},
    {"tg_table_name", oid::kName}, {"tg_table_schema", oid::kName}, {"tg_nargs", oid::kInt4},
    {"tg_argv", oid::kTextArray},
};

// The type that polymorphic ones are tried out with when a function is made.
Oid stand_in(Oid type) {
  switch (type) {
    case oid::kAnyElement:
    case oid::kAnyNonArray:
    case oid::kAnyEnum:
    case oid::kAnyCompatible:
    case oid::kAnyCompatibleNonArray: return oid::kInt4;
    case oid::kAnyArray:
    case oid::kAnyCompatibleArray: return oid::kInt4Array;
    case oid::kAnyRange:
    case oid::kAnyCompatibleRange: return oid::kInt4Range;
    case oid::kAnyMultirange:
    case oid::kAnyCompatibleMultirange: return oid::kInt4Multirange;
    default: return type;
  }
}

// What the client has sent.
std::string current_text(SessionParts& session) {
  SessionActivity& activity = session.message().activity();
  const std::lock_guard lock(activity.mutex);
  return activity.query;
}

// Which of a trigger's variables a body can name: more than it does, as comments and longer names count, too.
void find_named(const std::string& source, PlpgsqlFunction::TriggerVariables& trigger) {
  const std::string text = types::to_lower(source);
  const bool escapes = text.find("u&") != std::string::npos;  // names may be spelt otherwise
  const auto has = [&](std::string_view name) { return escapes || text.find(name) != std::string::npos; };
  trigger.names_new = has("new");
  trigger.names_old = has("old");
  for (const catalog::SystemColumn& column : catalog::kSystemColumns)
    trigger.names_system = trigger.names_system || has(column.name);
  for (size_t i = 0; i < std::size(kTriggerVariables); i++) {
    if (has(kTriggerVariables[i].first)) trigger.named |= uint32_t{1} << i;
  }
}

// plpgsql.extra_errors and extra_warnings of CREATE FUNCTION.
Status check_shadows(SessionParts& session, const sql::plpgsql::Program& program, const types::FunctionInfo& info) {
  if (program.shadows.empty()) return {};
  const ExtraCheck check = extra_check(session, ExtraChecks::Kind::kShadowedVariables);
  if (check == ExtraCheck::kNone) return {};
  const std::string text = current_text(session);
  const size_t at = text.find(info.source);
  for (const auto& shadow : program.shadows) {
    Error found(SqlState("42712"), "variable \"" + shadow.name + "\" shadows a previously defined variable");
    found.internal_query = info.source;
    found.internal_position = shadow.position;
    if (check == ExtraCheck::kError) return found;
    if (at != std::string::npos && !info.source.empty()) {  // the place in the statement instead
      found.position = characters(text, static_cast<int>(at)) + shadow.position;
      found.internal_position = 0;
      found.internal_query.clear();
    }
    session.notice(Severity::kWarning, found);
  }
  return {};
}

}  // namespace

int RecordValue::find(std::string_view name) const {
  for (size_t i = 0; i < names.size(); i++) {
    if (names[i] == name && types[i].oid != kInvalidOid) return static_cast<int>(i);
  }
  return -1;
}

Datum RecordValue::system_value(int16_t number) const {
  const auto at = static_cast<size_t>(-number - 1);
  if (at < system.size()) return system[at].get();
  return Datum::make_null(catalog::find_system_column(number)->type == oid::kTid ? Phys::kStr : Phys::kI32);
}

void RecordValue::set_shape() { shape = shape_of(types, names); }

Result<std::shared_ptr<PlpgsqlFunction>> PlpgsqlFunction::make(SessionParts& session,
                                                               std::shared_ptr<const types::FunctionInfo> info,
                                                               const TypeRef& result,
                                                               std::span<const TypeRef> arguments, Oid collation) {
  auto function = std::make_shared<PlpgsqlFunction>(std::move(info));
  function->input_collation_ = collation;
  function->result_ = result_of(session, function->info(), result, arguments);
  INDIGO_TRY(function->compile(session, arguments));
  return function;
}

namespace {

Error refused_type(catalog::SessionCatalog& catalog, const char* use, Oid type) {
  return Error(sqlstate::kFeatureNotSupported,
               std::string("PL/pgSQL functions cannot ") + use + " type " + types::format_type(catalog, type));
}
bool is_pseudo(catalog::SessionCatalog& catalog, Oid type) {
  const auto info = catalog.type(type);
  return info != nullptr && info->kind == 'p';
}

}  // namespace

Status PlpgsqlFunction::check_types(SessionParts& session, const types::FunctionInfo& f) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  const bool returned = f.result == oid::kRecord || f.result == oid::kVoid || f.result == oid::kTrigger ||
                        f.result == oid::kEventTrigger || sql::is_polymorphic(f.result);
  if (!returned && is_pseudo(catalog, f.result)) return refused_type(catalog, "return", f.result);
  for (const Oid type : f.arguments) {
    if (type != oid::kRecord && !sql::is_polymorphic(type) && is_pseudo(catalog, type))
      return refused_type(catalog, "accept", type);
  }
  return {};
}

Status PlpgsqlFunction::validate(SessionParts& session, const std::shared_ptr<const types::FunctionInfo>& info) {
  std::vector<TypeRef> arguments;
  for (const Oid type : info->arguments) arguments.push_back(type_of(session, stand_in(type)));
  INDIGO_ASSIGN(const auto function, make(session, info, type_of(session, stand_in(info->result)), arguments));
  INDIGO_TRY(check_shadows(session, *function->program_, *info));
  return function->check_syntax();
}

Status PlpgsqlFunction::check_syntax() const {
  for (const auto& fragment : program_->fragments) {
    const bool expression = fragment->form == sql::plpgsql::Fragment::Form::kExpression;
    auto parsed = sql::parse(expression ? "SELECT " + fragment->text : fragment->text);
    if (parsed.ok()) continue;
    Error error = fragment_error(std::move(*parsed.take_error()), *fragment, true);
    if (fragment->begin >= 0 && error.internal_position > 0) {
      error.internal_position +=
          characters(info().source, fragment->begin) - static_cast<int>(utf8_count(fragment->assigned));
      error.internal_query = info().source;
    }
    return error;
  }
  return {};
}

Status PlpgsqlFunction::compile(SessionParts& session, std::span<const TypeRef> arguments) {
  signature_ = signature_of(session, info());
  sql::plpgsql::ParseInput input;
  input.source = info().source;
  input.function_name = info().name;
  const auto& f = info();
  const bool has_modes = !f.all_argument_types.empty();
  const size_t count = has_modes ? f.all_argument_types.size() : f.arguments.size();
  size_t next_input = 0;
  std::vector<Oid> actual;
  for (const TypeRef& a : arguments) actual.push_back(a.oid);
  for (size_t i = 0; i < count; i++) {
    const char mode = has_modes && i < f.argument_modes.size() ? f.argument_modes[i] : 'i';
    const bool in = mode == 'i' || mode == 'b' || mode == 'v', out = mode == 'o' || mode == 'b' || mode == 't';
    sql::plpgsql::GivenVariable given;
    given.name = i < f.argument_names.size() ? f.argument_names[i] : "";
    given.number = static_cast<int>(i) + 1;
    given.type =
        in ? arguments[next_input++].oid
           : stand_in(sql::resolve_output(session.session_catalog(), actual, f.arguments, f.all_argument_types[i]));
    const bool refused = in && given.type != oid::kRecord && is_pseudo(session.session_catalog(), given.type);
    const bool again = !given.name.empty() && std::any_of(input.given.begin(), input.given.end(),
                                                          [&](const auto& other) { return other.name == given.name; });
    if (refused || again) {
      Error error = refused ? refused_type(session.session_catalog(), "accept", given.type)
                            : Error(SqlState("42P13"), "parameter name \"" + given.name + "\" used more than once");
      error.add_context("compilation of PL/pgSQL function \"" + f.name + "\" near line 1");
      return error;
    }
    if (in) arguments_.push_back(static_cast<int>(i));
    if (out) outputs_.push_back(static_cast<int>(i));
    input.given.push_back(std::move(given));
  }
  input.given.push_back({"found", oid::kBool, 0, false});
  if (f.result == oid::kTrigger && f.oid != kInvalidOid) {
    if (!f.arguments.empty()) {
      return Error(SqlState("42P13"), "trigger functions cannot have declared arguments")
          .with_hint("The arguments of the trigger can be accessed through TG_NARGS and TG_ARGV instead.");
    }
    trigger_.new_row = static_cast<int>(input.given.size());
    trigger_.old_row = trigger_.new_row + 1;
    trigger_.first = trigger_.new_row + 2;
    input.given.push_back({"new", oid::kRecord, 0, false});
    input.given.push_back({"old", oid::kRecord, 0, false});
    for (const auto& [name, type] : kTriggerVariables) input.given.push_back({name, type, 0, false});
    trigger_.end = static_cast<int>(input.given.size());
    find_named(f.source, trigger_);
  }
  if (f.result == oid::kEventTrigger && f.oid != kInvalidOid) {
    if (!f.arguments.empty()) {
      Error error(SqlState("42P13"), "event trigger functions cannot have declared arguments");
      error.add_context("compilation of PL/pgSQL function \"" + f.name + "\" near line 1");
      return error;
    }
    trigger_.event = static_cast<int>(input.given.size());
    input.given.push_back({"tg_event", oid::kText, 0, false});
    input.given.push_back({"tg_tag", oid::kText, 0, false});
  }
  input.returns_set = f.returns_set;
  input.anonymous = f.oid == kInvalidOid;
  input.procedure = f.kind == types::FunctionKind::kProcedure;
  input.returns_void = result_.type.oid == oid::kVoid || trigger_.event >= 0 || f.oid == kInvalidOid || input.procedure;
  input.has_outputs = !outputs_.empty();
  input.returns_row = result_.row || trigger_.first >= 0;
  INDIGO_ASSIGN(program_, sql::plpgsql::parse_program(input));
  fragments_.resize(program_->fragments.size());
  INDIGO_TRY(resolve_types(session));
  for (int v = 0; v < variable_count(); v++) {
    if (!trigger_.is_one(v)) own_.push_back(v);
    const bool unnamed = v >= trigger_.first && v < trigger_.end && (trigger_.named >> (v - trigger_.first) & 1) == 0;
    if (!unnamed && (variable(v).row || variable(v).phys == Phys::kStr)) with_memory_.push_back(static_cast<size_t>(v));
  }
  return {};
}

Result<TypeRef> PlpgsqlFunction::resolve(SessionParts& session, const TypeText& text) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  const auto name = [&] {
    std::string out;
    for (const std::string& part : text.name) out += (out.empty() ? "" : ".") + part;
    return out;
  };
  switch (text.kind) {
    case TypeText::Kind::kVariable: return variable(text.variable).type;
    case TypeText::Kind::kRow: {
      const auto relation =
          catalog.find_relation(text.name.size() > 1 ? text.name[text.name.size() - 2] : "", text.name.back());
      if (relation == nullptr || relation->row_type == kInvalidOid)
        return Error(sqlstate::kUndefinedTable, "relation \"" + name() + "\" does not exist");
      return TypeRef{relation->row_type, -1, kInvalidOid};
    }
    case TypeText::Kind::kSame: {
      const size_t n = text.name.size();
      const auto relation = catalog.find_relation(n > 2 ? text.name[n - 3] : "", text.name[n - 2]);
      if (relation == nullptr)
        return Error(sqlstate::kUndefinedTable, "relation \"" + text.name[n - 2] + "\" does not exist");
      const auto* column = relation->find_column(text.name[n - 1]);
      if (column == nullptr) {
        return Error(sqlstate::kUndefinedColumn,
                     "column \"" + text.name[n - 1] + "\" of relation \"" + relation->name + "\" does not exist");
      }
      return column->type;
    }
    default: break;
  }
  if (text.fixed != kInvalidOid) return in_collation(type_of(session, text.fixed), input_collation_);
  const std::string statement = "SELECT NULL::" + text.text;
  INDIGO_ASSIGN(const auto parsed, sql::parse(statement));
  const PgQuery__Node* value = parsed->statements()[0].node->select_stmt->target_list[0]->res_target->val;
  if (value->node_case != PG_QUERY__NODE__NODE_TYPE_CAST)
    return Error(sqlstate::kSyntaxError, "invalid type name \"" + text.text + "\"");
  auto type = sql::analyze_type_name(session.context(), value->type_cast->type_name, statement);
  if (!type.ok()) {
    Error error = std::move(*type.take_error());
    error.position = 0;
    return error;
  }
  const auto info = catalog.type(type->oid);
  return in_collation(TypeRef{type->oid, type->typmod, info == nullptr ? kInvalidOid : info->collation},
                      input_collation_);
}

namespace {

Result<Oid> collation_of(SessionParts& session, const sql::plpgsql::Variable& v, const TypeRef& type) {
  const auto& name = v.collation;
  catalog::SessionCatalog& catalog = session.session_catalog();
  const Oid found = catalog.find_collation(name.size() > 1 ? name[name.size() - 2] : "", name.back());
  if (found == kInvalidOid) {
    std::string text;
    for (const std::string& part : name) text += (text.empty() ? "" : ".") + part;
    return Error(sqlstate::kUndefinedObject, "collation \"" + text + "\" for encoding \"UTF8\" does not exist");
  }
  if (type.collation == kInvalidOid) {
    return Error(sqlstate::kDatatypeMismatch,
                 "collations are not supported by type " + types::format_type(session.session_catalog(), type.oid));
  }
  return found;
}

}  // namespace

Status PlpgsqlFunction::resolve_types(SessionParts& session) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  for (const auto& v : program_->variables) {
    VariableType type;
    auto resolved = resolve(session, v.type);
    if (!resolved.ok()) {
      Error error = std::move(*resolved.take_error());
      if (error.state == sqlstate::kUndefinedObject && v.type.begin >= 0) {
        error.internal_query = info().source;
        error.internal_position = characters(info().source, v.type.begin) + 1;
        if (info().oid == kInvalidOid) return error;
      }
      error.add_context("compilation of PL/pgSQL function \"" + info().name + "\" near line " + std::to_string(v.line));
      return error;
    }
    type.type = *resolved;
    const auto info = catalog.type(type.type.oid);
    if (info != nullptr && info->kind == 'p' && type.type.oid != oid::kRecord && !v.internal) {
      Error error(sqlstate::kFeatureNotSupported,
                  "variable \"" + v.name + "\" has pseudo-type " + types::format_type(catalog, type.type.oid));
      error.add_context("compilation of PL/pgSQL function \"" + this->info().name + "\" near line " +
                        std::to_string(v.line));
      return error;
    }
    if (type.type.collation == kInvalidOid && info != nullptr) type.type.collation = info->collation;
    if (!v.collation.empty()) {
      auto collation = collation_of(session, v, type.type);
      if (!collation.ok()) {
        Error error = std::move(*collation.take_error());
        error.add_context("compilation of PL/pgSQL function \"" + this->info().name + "\" near line " +
                          std::to_string(v.line));
        return error;
      }
      type.type.collation = *collation;
    }
    type.row = type.type.oid == oid::kRecord || types::fields_relation(catalog, type.type.oid) != nullptr;
    auto base = catalog.type(type.type.oid);
    while (base != nullptr && base->kind == 'd') base = catalog.type(base->base);
    type.of_composite_domain = !type.row && base != nullptr && base->kind == 'c';
    type.phys = phys_of(session, type.type.oid);
    type.assignable = !type.row && !v.not_null;
    variables_.push_back(type);
  }
  return {};
}

CompiledFragment& PlpgsqlFunction::make_fragment(const sql::plpgsql::Fragment& f) {
  auto& place = fragments_[static_cast<size_t>(f.id)];
  place = std::make_unique<CompiledFragment>(*this, f);
  return *place;
}

Code& PlpgsqlFunction::find_code(SessionParts& session, Frame& frame, const sql::plpgsql::StatementList& list) {
  const auto found = codes_.find(&list);
  if (found == codes_.end() || !is_current(session, frame, *found->second))
    return make_code_again(session, frame, list);
  last_code_ = found->second.get();
  return *last_code_;
}

Code& PlpgsqlFunction::make_code_again(SessionParts& session, Frame& frame, const sql::plpgsql::StatementList& list) {
  std::unique_ptr<Code>& place = codes_[&list];
  auto made = make_code(session, *this, frame, list, place.get());
  if (place != nullptr) old_codes_.push_back(std::move(place));
  place = std::move(made);
  last_code_ = place.get();
  return *place;
}

CompiledPart& PlpgsqlFunction::part(const sql::plpgsql::Fragment& place) {
  auto& made = parts_[place.id];
  if (made == nullptr) made = std::make_unique<CompiledPart>(*this, place);
  return *made;
}

int PlpgsqlFunction::field_parameter(int variable, std::string_view field) {
  for (size_t i = 0; i < fields_.size(); i++) {
    if (fields_[i].variable == variable && fields_[i].field == field) return static_cast<int>(variables_.size() + i);
  }
  fields_.push_back({variable, std::string(field)});
  return static_cast<int>(variables_.size() + fields_.size()) - 1;
}

namespace {

constexpr size_t kFramesMax = 128;

}  // namespace

std::unique_ptr<Frame> PlpgsqlFunction::take_frame() {
  // give_back() runs in a destructor: there is room for every frame that is out before it goes out.
  const size_t out = std::min(frames_out_ + 1, kFramesMax);
  if (frames_.capacity() < out) frames_.reserve(std::max(out, 2 * frames_.capacity()));
  std::unique_ptr<Frame> frame;
  if (!frames_.empty()) {
    frame = std::move(frames_.back());
    frames_.pop_back();
  } else {
    frame = std::make_unique<Frame>();
    frame->values.resize(variables_.size());
    for (size_t v = 0; v < variables_.size(); v++) {
      if (variables_[v].row) frame->values[v].record = std::make_unique<RecordValue>();
    }
  }
  frame->parameters.resize(parameter_count());
  if (frames_out_ == 0) old_codes_.clear();
  frames_out_++;
  frame->state_known = false;
  return frame;
}

void PlpgsqlFunction::give_back(std::unique_ptr<Frame> frame) {
  constexpr size_t kBytesKept = 1024;
  frames_out_--;
  if (frames_.size() == frames_.capacity()) return;
  for (const size_t variable : with_memory_) {
    Value& value = frame->values[variable];
    if (value.bytes.capacity() > kBytesKept) std::string().swap(value.bytes);
    if (value.image.capacity() > kBytesKept) std::string().swap(value.image);
    if (value.record != nullptr) value.record->values.clear();
  }
  frame->statement = nullptr;
  frame->phase = nullptr;
  frame->phase_line = 0;
  frame->row_count = 0;
  frame->row.forget();
  frames_.push_back(std::move(frame));
}

Result<Datum> PlpgsqlFunction::cast(SessionParts& session, const Datum& value, const TypeRef& from, const TypeRef& to) {
  if (from.oid == to.oid && to.typmod == -1 && to.oid < oid::kFirstUserOid) return value;
  TypeRef source = from;
  if (source.oid == oid::kUnknown) source = type_of(session, oid::kText);
  for (const auto& c : casts_) {
    if (c->from == source && c->to == to) return c->cast.apply(session, value);
  }
  auto made = std::make_unique<Cast>();
  made->from = source;
  made->to = to;
  INDIGO_ASSIGN(made->cast, ValueCast::make(session, source, to, true));
  casts_.push_back(std::move(made));
  return casts_.back()->cast.apply(session, value);
}

Result<OwnedDatum> PlpgsqlFunction::call(SessionParts& session, std::span<const Datum> arguments) {
  if (result_.type.oid == oid::kTrigger || result_.type.oid == oid::kEventTrigger)
    return Error(sqlstate::kFeatureNotSupported, "trigger functions can only be called as triggers");
  Interpreter interpreter(session, *this, nullptr);
  return interpreter.call(arguments);
}

Result<std::optional<std::string>> PlpgsqlFunction::call_trigger(SessionParts& session, const exec::TriggerCall& call) {
  Interpreter interpreter(session, *this, nullptr);
  return interpreter.call_trigger(call);
}

Status PlpgsqlFunction::call_event_trigger(SessionParts& session, std::string_view event, std::string_view tag) {
  Interpreter interpreter(session, *this, nullptr);
  return interpreter.call_event_trigger(event, tag);
}

Status PlpgsqlFunction::rows(SessionParts& session, std::span<const Datum> arguments, RowList& out) {
  Interpreter interpreter(session, *this, &out);
  INDIGO_TRY(interpreter.call(arguments));
  return {};
}

Status PlpgsqlFunction::run_block(SessionParts& session, const std::string& source, bool may_commit) {
  auto info = std::make_shared<types::FunctionInfo>();
  info->name = "inline_code_block";
  info->language = "plpgsql";
  info->kind = types::FunctionKind::kProcedure;
  info->volatility = types::Volatility::kVolatile;
  info->strict = false;
  info->result = oid::kVoid;
  info->source = source;
  INDIGO_ASSIGN(const auto function, make(session, info, type_of(session, oid::kVoid), {}));
  INDIGO_TRY(function->check_syntax());
  function->may_commit = may_commit;
  INDIGO_TRY(function->call(session, {}));
  return {};
}

}  // namespace indigo::engine::programs
