// A PL/pgSQL function as a tree: variables, SQL fragments, statements. Names of variables are resolved while it is parsed;
// types are texts that its compiler looks up.
//
// Invariants:
// 1. Variables are numbered; an inner block's variable has a number of its own.
// 2. A fragment knows the names that are in view where it stands (`names`, a link of Program::names).
// Thread safety: immutable once parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "storage/key_range.h"

namespace indigo::sql::plpgsql {

// A piece of SQL. Numbered, so that what is compiled of it has a place.
struct Fragment {
  enum class Form : uint8_t { kExpression, kStatement } form = Form::kExpression;
  std::string text;
  int id = 0;
  int names = -1;
  int line = 0;
  int begin = -1;          // byte of the source where it stands as it is; -1: it was put together
  std::string assigned{};  // what stands before the text in an assignment: "a :=", for errors
  std::string around{};    // the whole assignment, where the text is a part of its left side
};
using FragmentPtr = std::shared_ptr<const Fragment>;

struct TypeText {
  enum class Kind : uint8_t {
    kNamed,    // a type name
    kSame,     // name%TYPE: of a variable or a column
    kRow,      // table%ROWTYPE
    kVariable  // that of variable `variable`
  } kind = Kind::kNamed;
  std::string text;               // kNamed
  std::vector<std::string> name;  // kSame, kRow
  Oid fixed = kInvalidOid;        // kNamed: known already (arguments)
  int variable = -1;
  int begin = -1;  // byte of the source
};

struct Variable {
  std::string name;
  int line = 0;
  TypeText type;
  std::vector<std::string> collation;  // the name behind COLLATE
  bool constant = false, not_null = false;
  FragmentPtr initial;
  // Bound cursors.
  bool cursor = false;
  FragmentPtr query;
  std::vector<int> cursor_arguments;  // variables
  std::optional<bool> scroll;
  bool internal = false;  // found, TG_... and the like: not shown, not dropped with a block
};

// A name, with the one that came into view before it.
struct Name {
  enum class Kind : uint8_t { kVariable, kLabel } kind = Kind::kVariable;
  std::string name;
  int variable = -1;
  int previous = -1;
};

// What an assignment changes: a variable, a field of it, or a part of an array.
struct Place {
  int variable = -1;
  std::vector<std::string> fields;
  FragmentPtr part;   // x[1].f: as it is written, an expression; null when `fields` say all
  FragmentPtr field;  // x.f, likewise, for an x of a domain over a composite type, which is not kept field by field
};

struct Statement {
  enum class Kind : uint8_t {
    kBlock,
    kAssign,
    kIf,
    kCase,
    kLoop,
    kWhile,
    kForInteger,
    kForQuery,
    kForCursor,
    kForEach,
    kExit,
    kReturn,
    kReturnNext,
    kReturnQuery,
    kRaise,
    kAssert,
    kSql,
    kExecute,
    kForExecute,
    kDiagnostics,
    kOpen,
    kFetch,
    kClose,
    kPerform,
    kCall,
    kCommit,
    kNull
  } kind;
  int line = 0;
  virtual ~Statement() = default;

 protected:
  explicit Statement(Kind k) : kind(k) {}
};
using StatementPtr = std::unique_ptr<Statement>;
using StatementList = std::vector<StatementPtr>;
template <Statement::Kind K>
struct StatementOf : Statement {
  StatementOf() : Statement(K) {}
};
using SK = Statement::Kind;

struct Handler {
  int line = 0;
  std::vector<std::string> states;  // SQLSTATEs; "others" for OTHERS
  StatementList body;
};
struct Block : StatementOf<SK::kBlock> {
  std::string label;
  std::vector<int> variables;  // declared here, to be initialised when it is entered
  StatementList body;
  std::vector<Handler> handlers;
  int sqlstate = -1, sqlerrm = -1;  // variables of the handlers
};
struct Assign : StatementOf<SK::kAssign> {
  Place place;
  FragmentPtr value;
};
struct If : StatementOf<SK::kIf> {
  struct Branch {
    FragmentPtr condition;
    StatementList body;
  };
  std::vector<Branch> branches;
  StatementList otherwise;
};
struct Case : StatementOf<SK::kCase> {
  FragmentPtr operand;  // null: searched
  int variable = -1;    // that holds the operand
  std::vector<If::Branch> branches;
  bool has_else = false;
  StatementList otherwise;
};
struct Loop : StatementOf<SK::kLoop> {
  std::string label;
  StatementList body;
};
struct While : StatementOf<SK::kWhile> {
  std::string label;
  FragmentPtr condition;
  StatementList body;
};
struct ForInteger : StatementOf<SK::kForInteger> {
  std::string label;
  int variable = -1;
  FragmentPtr lower, upper, step;
  bool reverse = false;
  StatementList body;
};
// Where rows go: one record or row variable, or several places.
struct Target {
  std::vector<Place> places;
  bool strict = false;
  bool given() const { return !places.empty(); }
};
struct ForQuery : StatementOf<SK::kForQuery> {
  std::string label;
  Target target;
  FragmentPtr query;
  StatementList body;
};
struct ForCursor : StatementOf<SK::kForCursor> {
  std::string label;
  int cursor = -1, record = -1;
  FragmentPtr arguments;  // of the cursor, as a list of expressions
  StatementList body;
};
struct ForEach : StatementOf<SK::kForEach> {
  std::string label;
  Target target;
  int slice = 0;
  FragmentPtr array;
  StatementList body;
};
struct Exit : StatementOf<SK::kExit> {
  bool is_exit = true;
  std::string label;
  FragmentPtr condition;
};
struct Return : StatementOf<SK::kReturn> {
  FragmentPtr value;
  int variable = -1;  // RETURN variable: rows need no expression
};
struct ReturnNext : StatementOf<SK::kReturnNext> {
  FragmentPtr value;
  int variable = -1;
};
struct ReturnQuery : StatementOf<SK::kReturnQuery> {
  FragmentPtr query;
  FragmentPtr dynamic;
  std::vector<FragmentPtr> parameters;
};
struct Raise : StatementOf<SK::kRaise> {
  enum class Level : uint8_t { kDebug, kLog, kInfo, kNotice, kWarning, kException } level = Level::kException;
  bool again = false;     // RAISE alone
  std::string condition;  // a name or an SQLSTATE
  std::optional<std::string> format;
  std::vector<FragmentPtr> arguments;
  struct Option {
    std::string name;
    FragmentPtr value;
  };
  std::vector<Option> options;
};
struct Assert : StatementOf<SK::kAssert> {
  FragmentPtr condition, message;
};
struct Sql : StatementOf<SK::kSql> {
  FragmentPtr query;
  Target target;
};
struct Execute : StatementOf<SK::kExecute> {
  FragmentPtr query;
  std::vector<FragmentPtr> parameters;
  Target target;
};
struct ForExecute : StatementOf<SK::kForExecute> {
  std::string label;
  Target target;
  FragmentPtr query;
  std::vector<FragmentPtr> parameters;
  StatementList body;
};
struct Diagnostics : StatementOf<SK::kDiagnostics> {
  bool stacked = false;
  struct Item {
    std::string name;
    Place place;
  };
  std::vector<Item> items;
};
struct Open : StatementOf<SK::kOpen> {
  int cursor = -1;
  std::optional<bool> scroll;
  FragmentPtr query, dynamic, arguments;
  std::vector<FragmentPtr> parameters;
};
struct Fetch : StatementOf<SK::kFetch> {
  enum class Direction : uint8_t { kForward, kBackward, kAbsolute, kRelative } direction = Direction::kForward;
  int64_t count = 1;
  bool all = false;
  FragmentPtr count_expression;
  int cursor = -1;
  bool move = false;
  Target target;
};
struct Close : StatementOf<SK::kClose> {
  int cursor = -1;
};
struct Perform : StatementOf<SK::kPerform> {
  FragmentPtr query;
};
struct Call : StatementOf<SK::kCall> {
  FragmentPtr statement;
  bool is_call = true;  // else DO
};
struct Commit : StatementOf<SK::kCommit> {
  bool rollback = false, chain = false;
};
struct Null : StatementOf<SK::kNull> {};

enum class NameConflict : uint8_t { kError, kVariable, kColumn };

struct Program {
  std::vector<Variable> variables;
  std::vector<Name> names;
  std::unique_ptr<Block> body;
  std::vector<FragmentPtr> fragments;  // by their numbers
  NameConflict conflict = NameConflict::kError;
  std::optional<bool> print_strict_params;
  int found = -1;  // the variable
  // Declared under the name of a variable that was in view already.
  struct Shadow {
    std::string name;
    int position = 0;  // character of the source, from 1
  };
  std::vector<Shadow> shadows;
};

// What a function's name for a variable means, seen from link `names`: its number (-1: none) and how many parts of the name
// it took; a further part is a field.
struct NameFound {
  int variable = -1;
  size_t parts = 0;
};
// `is_row`: whether a variable has fields; without it every variable may have some.
NameFound find_name(const Program& program, int names, std::span<const std::string_view> name,
                    const std::function<bool(int)>& is_row = nullptr);

// An argument or another variable that is there before the text begins.
struct GivenVariable {
  std::string name;  // empty: only $n
  Oid type = kInvalidOid;
  int number = 0;  // $n; 0: none
  bool constant = false;
};

struct ParseInput {
  std::string_view source;
  std::string function_name;  // the label of the outermost names
  std::vector<GivenVariable> given;
  // What RETURN may say.
  bool returns_set = false, returns_void = false, has_outputs = false, procedure = false;
  bool anonymous = false;    // DO
  bool returns_row = false;  // composite or record
};
Result<std::shared_ptr<const Program>> parse_program(const ParseInput& input);

// SQLSTATEs of a condition's name; empty: there is none such.
std::vector<std::string> states_of(std::string_view condition);

}  // namespace indigo::sql::plpgsql
