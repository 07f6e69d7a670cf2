#include "engine/exec/query_state.h"

#include <algorithm>

#include "base/fiber/stack.h"
#include "base/memory/memory_account.h"
#include "base/memory/process_memory.h"
#include "base/sqlstate.h"
#include "engine/exec/change/foreign_key.h"
#include "engine/exec/change/statement_state.h"
#include "engine/exec/errors.h"
#include "types/function/phys_of.h"
#include "types/function/registry.h"
#include "types/value/array_format.h"

namespace indigo::engine::exec {

QueryState::QueryState(std::shared_ptr<const sql::PlannedStatement> statement)
    : statement_(std::move(statement)), scratch_(1024) {
  slots_.resize(static_cast<size_t>(statement_->runtime_slots) + statement_->ctes.size());
  initplan_run_.resize(statement_->initplans.size(), 0);
  for (size_t i = 0; i < statement_->initplans.size(); i++) {
    for (int slot : statement_->initplans[i].slots) slots_[static_cast<size_t>(slot)].initplan = static_cast<int>(i);
  }
  subplans_.resize(statement_->subplans.size());
  ctes_.resize(statement_->ctes.size());
  for (Slot& s : slots_) std::string().swap(s.bytes);
}

QueryState::~QueryState() = default;

const Datum& QueryState::missing_parameter(int i) {
  static const Datum kNull;
  functions_->fail(Error(sqlstate::kUndefinedObject, "no value found for parameter " + std::to_string(i + 1)));
  return kNull;
}

void QueryState::begin(const ExecutionContext& context) {
  context_.emplace(context);
  functions_.emplace(context.session);
  scratch_.reset();
  functions_->set_arena(&scratch_);
  run_++;
  generation_++;
  affected_ = 0;
  peak_memory_bytes_ = 0;
  for (CteState& cte : ctes_) {
    cte.opened = cte.finished = false;
    cte.work_table = nullptr;
  }
  if (foreign_keys_ != nullptr) foreign_keys_->clear();
  if (changes_ != nullptr) changes_->clear();
}

void QueryState::end() {
  for (OperatorPtr& p : subplans_) {
    if (p != nullptr) p->close();
  }
  for (CteState& cte : ctes_) {
    if (cte.source != nullptr) cte.source->close();
    cte.rows.clear();
  }
  if (changes_ != nullptr) changes_->end();
  note_memory(scratch_.allocated_bytes());
  scratch_.reset();
}

void QueryState::set_slot(int slot, const Datum& value) {
  Slot& s = slots_[static_cast<size_t>(slot)];
  s.value = value;
  if (value.phys == Phys::kStr && !value.null) {
    note_memory(value.str.size());
    s.bytes.assign(value.str);
    s.value.str = s.bytes;
  }
  s.generation = ++generation_;
}

const Datum& QueryState::slot(int slot) {
  Slot& s = slots_[static_cast<size_t>(slot)];
  if (s.initplan >= 0 && initplan_run_[static_cast<size_t>(s.initplan)] != run_) {
    Status status = run_initplan(s.initplan);
    if (!status.ok()) functions().fail(std::move(*status.take_error()));
  }
  return s.value;
}

uint64_t QueryState::generation(const std::vector<int>& slots) const {
  uint64_t newest = 0;
  for (int s : slots) newest = std::max(newest, slots_[static_cast<size_t>(s)].generation);
  return newest;
}

Status QueryState::run_initplan(int initplan) {
  if (initplan_failure_ && initplan_failure_->initplan == initplan && initplan_failure_->run == run_) {
    return Error(initplan_failure_->error);
  }
  const auto& plan = statement_->initplans[static_cast<size_t>(initplan)];
  OperatorPtr& op = subplans_[static_cast<size_t>(plan.subplan)];
  Status status = op->open(Open::kFresh);
  if (status.ok()) {
    status = run_subquery(*this, *op, *statement_->subplans[static_cast<size_t>(plan.subplan)], plan.form, plan.slots);
  }
  if (!status.ok()) {
    initplan_failure_ = InitplanFailure{initplan, run_, status.error()};
    return status;
  }
  initplan_run_[static_cast<size_t>(initplan)] = run_;
  return {};
}

void QueryState::rescan_cte(int cte) {
  CteState& c = ctes_[static_cast<size_t>(cte)];
  if (c.opened && generation(c.slots) != c.generation) c.opened = c.finished = false;
}

Result<bool> QueryState::fetch_cte(int cte, uint64_t row) {
  INDIGO_TRY(check_stack_depth());  // items of WITH read each other
  CteState& c = ctes_[static_cast<size_t>(cte)];
  if (!c.opened) {
    c.opened = true;
    c.generation = generation(c.slots);
    c.rows.init(c.columns, context_->spill);
    INDIGO_TRY(c.source->open(Open::kFresh));
  }
  while (row >= c.rows.rows() && !c.finished) {
    INDIGO_ASSIGN(Chunk * chunk, c.source->next(kChunkRows));
    if (chunk == nullptr) {
      c.finished = true;
      break;
    }
    INDIGO_TRY(c.rows.append(*chunk));
    INDIGO_TRY(check_memory(c.rows.bytes()));
  }
  return row < c.rows.rows();
}

Status QueryState::check() {
  Waiter& waiter = Waiter::current();
  waiter.yield_if_due();
  InterruptReason reason = waiter.interrupted();
  if (reason != InterruptReason::kNone) return interrupt_error(reason);
  if (MemoryAccount::must_stop()) {
    return Error(sqlstate::kOutOfMemory, "out of memory")
        .with_detail(MemoryAccount::over_limit() ? "The session would hold more than session_memory_limit."
                                                 : "The machine's memory is used up.");
  }
  return {};
}

void QueryState::forget_operators() {
  for (OperatorPtr& p : subplans_) p.reset();
  ctes_.clear();
  ctes_.resize(statement_->ctes.size());
}

Status QueryState::check_memory(uint64_t bytes) {
  peak_memory_bytes_ = std::max(peak_memory_bytes_, bytes);
  // A statement that holds much ends when the machine runs out, rather than the server with all statements.
  constexpr uint64_t kMuchBytes = 16 << 20;
  if (bytes > kMuchBytes && process_memory_is_short()) {
    return Error(sqlstate::kOutOfMemory, "out of memory").with_detail("The machine's memory is used up.");
  }
  if (context_->work_memory_bytes == 0 || bytes <= context_->work_memory_bytes) return {};
  return Error(sqlstate::kOutOfMemory, "out of memory")
      .with_detail("One operation of the statement needs more than " + std::to_string(context_->work_memory_bytes) +
                   " bytes.");
}

ForeignKeyQueue& QueryState::foreign_keys() {
  if (foreign_keys_ == nullptr) foreign_keys_ = std::make_unique<ForeignKeyQueue>();
  return *foreign_keys_;
}

StatementState& QueryState::changes() {
  if (changes_ == nullptr) changes_ = std::make_unique<StatementState>();
  return *changes_;
}

Status QueryState::finish_foreign_keys() {
  if (foreign_keys_ != nullptr && !foreign_keys_->empty()) INDIGO_TRY(foreign_keys_->finish(*this));
  if (changes_ != nullptr) changes_->end();  // a portal may keep its rows for long
  return {};
}

Result<std::string> array_value(QueryState& state, Operator& plan, const sql::Plan& shape) {
  RowStore rows;
  bool initialised = false;
  while (true) {
    INDIGO_ASSIGN(Chunk * chunk, plan.next(kChunkRows));
    if (chunk == nullptr) break;
    if (!initialised) {
      rows.init({chunk->columns[0].phys()});
      initialised = true;
    }
    const Vector* column = chunk->columns.data();
    rows.append({&column, 1}, chunk->selection);
    INDIGO_TRY(state.check_memory(rows.bytes()));
  }
  std::vector<Datum> values;
  for (uint32_t r = 0; r < rows.rows(); r++) values.push_back(rows.datum(r, 0));
  types::TypeRef element = shape.columns[0].type;
  auto info = state.session().catalog().type(element.oid);
  if (info != nullptr && info->is_array() && info->array == kInvalidOid) return nest_arrays(info->element, values);
  return make_array(element.oid, types::phys_of(state.session().catalog(), element.oid), values);
}

Result<std::string> nest_arrays(Oid element, std::span<const Datum> parts) {
  std::vector<Datum> elements;
  std::vector<ArrayDimension> dimensions;
  Phys phys = types::physical_of(element);
  bool first = true;
  for (const Datum& d : parts) {
    if (d.null) return Error(sqlstate::kNullValueNotAllowed, "cannot accumulate null arrays");
    ArrayView part(d.str);
    std::vector<ArrayDimension> shape;
    for (int i = 0; i < part.dimensions(); i++) shape.push_back(part.dimension(i));
    if (shape.empty()) return Error(sqlstate::kArraySubscriptError, "cannot accumulate empty arrays");
    if (!first && shape != dimensions) {
      return Error(sqlstate::kArraySubscriptError, "cannot accumulate arrays of different dimensionality");
    }
    first = false;
    dimensions = shape;
    phys = part.element_phys();
    for (int32_t i = 0; i < part.count(); i++) elements.push_back(part.element(i));
  }
  if (first) return make_array(element, phys, std::span<const Datum>());
  if (dimensions.size() + 1 > static_cast<size_t>(kMaxArrayDimensions)) {
    return Error(sqlstate::kProgramLimitExceeded, "number of array dimensions (7) exceeds the maximum allowed (6)");
  }
  dimensions.insert(dimensions.begin(), ArrayDimension{static_cast<int32_t>(parts.size()), 1});
  return make_array(element, phys, dimensions, elements);
}

Status run_subquery(QueryState& state, Operator& plan, const sql::Plan& shape, sql::SubLinkExpr::Form form,
                    const std::vector<int>& slots) {
  using Form = sql::SubLinkExpr::Form;
  INDIGO_TRY(check_stack_depth());
  if (form == Form::kExists) {
    INDIGO_ASSIGN(Chunk * chunk, plan.next(1));
    state.set_slot(slots[0], Datum::of(chunk != nullptr));
    return {};
  }
  if (form == Form::kArray) {
    INDIGO_ASSIGN(std::string image, array_value(state, plan, shape));
    state.set_slot(slots[0], Datum::of(Str(image)));
    return {};
  }
  INDIGO_ASSIGN(Chunk * chunk, plan.next(1));
  if (chunk == nullptr) {
    for (size_t i = 0; i < slots.size(); i++) {
      state.set_slot(slots[i], Datum::make_null(types::phys_of(state.session().catalog(), shape.columns[i].type.oid)));
    }
    return {};
  }
  for (size_t i = 0; i < slots.size(); i++) state.set_slot(slots[i], chunk->columns[i].datum(chunk->selection[0]));
  INDIGO_ASSIGN(Chunk * more, plan.next(1));
  if (more != nullptr) {
    return Error(sqlstate::kCardinalityViolation, "more than one row returned by a subquery used as an expression");
  }
  return {};
}

}  // namespace indigo::engine::exec
