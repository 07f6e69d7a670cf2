// A PL/pgSQL function compiled for its argument types: the tree, the variables' types, and what has been made of the SQL in it.
// Thread safety: none; belongs to a session.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/exec/change/trigger_host.h"
#include "engine/programs/plpgsql/code.h"
#include "engine/programs/plpgsql/fragment.h"
#include "engine/programs/plpgsql/frame.h"
#include "engine/programs/plpgsql/part.h"
#include "engine/programs/routine.h"
#include "engine/programs/value_cast.h"
#include "sql/plpgsql/program.h"

namespace indigo::engine::programs {

struct VariableType {
  TypeRef type;      // record for variables of no declared row type
  bool row = false;  // it has fields
  bool of_composite_domain = false;
  Phys phys = Phys::kI32;
  bool assignable = false;  // a scalar that may be null: what is assigned to it needs a cast at most
};

class PlpgsqlFunction final : public Routine {
 public:
  static Result<std::shared_ptr<PlpgsqlFunction>> make(SessionParts& session,
                                                       std::shared_ptr<const types::FunctionInfo> info,
                                                       const TypeRef& result, std::span<const TypeRef> arguments,
                                                       Oid collation = kInvalidOid);
  // CREATE FUNCTION: whether PL/pgSQL knows such arguments and results (0A000).
  static Status check_types(SessionParts& session, const types::FunctionInfo& info);
  static Status validate(SessionParts& session, const std::shared_ptr<const types::FunctionInfo>& info);
  // The first expression or statement that cannot be parsed.
  Status check_syntax() const;
  // DO: an anonymous block.
  static Status run_block(SessionParts& session, const std::string& source, bool may_commit);

  Result<OwnedDatum> call(SessionParts& session, std::span<const Datum> arguments) override;
  Status rows(SessionParts& session, std::span<const Datum> arguments, RowList& out) override;
  Result<std::optional<std::string>> call_trigger(SessionParts& session, const exec::TriggerCall& call);
  Status call_event_trigger(SessionParts& session, std::string_view event, std::string_view tag);

  explicit PlpgsqlFunction(std::shared_ptr<const types::FunctionInfo> info) : Routine(std::move(info)) {}

  // ---- for the interpreter
  const sql::plpgsql::Program& program() const { return *program_; }
  const RoutineResult& result() const { return result_; }
  const VariableType& variable(int number) const { return variables_[static_cast<size_t>(number)]; }
  VariableType& variable(int number) { return variables_[static_cast<size_t>(number)]; }
  CompiledFragment& fragment(const sql::plpgsql::Fragment& f) {
    CompiledFragment* const made = fragments_[static_cast<size_t>(f.id)].get();
    return made != nullptr ? *made : make_fragment(f);
  }
  CompiledPart& part(const sql::plpgsql::Fragment& place);
  // The place among the parameters of a variable's field (or, without a name, of its row as a value).
  int field_parameter(int variable, std::string_view field);
  struct FieldParameter {
    int variable;
    std::string field;  // empty: the whole row
  };
  const FieldParameter& field_of(int parameter) const {
    return fields_[static_cast<size_t>(parameter) - variables_.size()];
  }
  size_t parameter_count() const { return variables_.size() + fields_.size(); }
  int variable_count() const { return static_cast<int>(variables_.size()); }
  // "f(integer)", as contexts name it.
  const std::string& signature() const { return signature_; }
  const std::vector<int>& arguments() const { return arguments_; }
  const std::vector<int>& outputs() const { return outputs_; }
  Result<Datum> cast(SessionParts& session, const Datum& value, const TypeRef& from, const TypeRef& to);
  bool may_commit = false;  // of an anonymous block
  // The variables of a trigger function; -1 in others.
  struct TriggerVariables {
    int event = -1;  // tg_event, and tg_tag behind it: of an event trigger's function
    int new_row = -1, old_row = -1;
    int first = -1;  // tg_name and those behind it, in the order of kTriggerVariables
    int end = -1;    // behind those
    // What the body cannot name is not set: by number behind `first`, and NEW and OLD.
    uint32_t named = 0;
    bool names_new = false, names_old = false, names_system = false;  // the last: system columns
    bool is_one(int variable) const {
      return variable == new_row || variable == old_row || (variable >= first && variable < end);
    }
  };
  const TriggerVariables& trigger_variables() const { return trigger_; }
  // All variables but a trigger's: null when a call begins.
  const std::vector<int>& own_variables() const { return own_; }
  // Frames of calls that have ended, for the next: their memory, and the shapes of a trigger's records.
  std::unique_ptr<Frame> take_frame();
  // The list's code, for the state of things; it lives as long as the frame.
  Code& code(SessionParts& session, Frame& frame, const sql::plpgsql::StatementList& list) {
    if (last_code_ != nullptr && &last_code_->list == &list && is_current(session, frame, *last_code_))
      return *last_code_;
    return find_code(session, frame, list);
  }
  static bool is_current(SessionParts& session, Frame& frame, const Code& code) {
    learn_state(session, frame);
    return !code.computes ||
           (code.catalog_version == frame.catalog_version && code.plan_generation == frame.plan_generation);
  }
  Code& make_code_again(SessionParts& session, Frame& frame, const sql::plpgsql::StatementList& list);
  void give_back(std::unique_ptr<Frame> frame);

 private:
  Status compile(SessionParts& session, std::span<const TypeRef> arguments);
  Code& find_code(SessionParts& session, Frame& frame, const sql::plpgsql::StatementList& list);
  CompiledFragment& make_fragment(const sql::plpgsql::Fragment& f);
  Status resolve_types(SessionParts& session);
  Result<TypeRef> resolve(SessionParts& session, const sql::plpgsql::TypeText& text);

  std::shared_ptr<const sql::plpgsql::Program> program_;
  RoutineResult result_;
  Oid input_collation_ = kInvalidOid;  // of the call: variables that can have one have it, unless they say otherwise
  std::string signature_;
  TriggerVariables trigger_;
  std::vector<VariableType> variables_;
  std::vector<int> arguments_, outputs_;  // variables
  std::vector<int> own_;
  std::vector<size_t> with_memory_;  // variables that can own some
  std::vector<std::unique_ptr<CompiledFragment>> fragments_;
  std::vector<std::unique_ptr<Frame>> frames_;  // idle
  size_t frames_out_ = 0;
  std::unordered_map<const sql::plpgsql::StatementList*, std::unique_ptr<Code>> codes_;
  Code* last_code_ = nullptr;
  std::vector<std::unique_ptr<Code>> old_codes_;        // that calls may still be in
  std::map<int, std::unique_ptr<CompiledPart>> parts_;  // by their fragments' numbers
  std::vector<FieldParameter> fields_;
  struct Cast {
    TypeRef from, to;
    ValueCast cast;
  };
  std::vector<std::unique_ptr<Cast>> casts_;
};

}  // namespace indigo::engine::programs
