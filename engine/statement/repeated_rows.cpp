#include "engine/statement/repeated_rows.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

namespace indigo::engine {

namespace {

constexpr size_t kRowsMin = 3;
// Rows told apart by their text, and shapes that are left of those.
constexpr size_t kTextsMax = 4096, kShapesMax = 64;

constexpr size_t kClasses = 5;  // of literals; their markers in the key count from 1
bool is_marker(char c) { return c >= 1 && c <= static_cast<char>(kClasses); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 128;
}
bool in_word(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '$'; }
bool same_word(std::string_view word, std::string_view lower) {
  return word.size() == lower.size() &&
         std::equal(word.begin(), word.end(), lower.begin(), [](char a, char b) { return (a | 0x20) == b; });
}
bool any_word(std::string_view word, std::initializer_list<std::string_view> of) {
  return std::any_of(of.begin(), of.end(), [&](std::string_view w) { return same_word(word, w); });
}

// Whether ), ( stands in the text as often as between the fewest rows that are folded.
bool may_have_rows(std::string_view key) {
  size_t seen = 0;
  const auto behind_spaces = [&](size_t at) {
    while (at < key.size() && is_space(key[at])) at++;
    return at;
  };
  for (size_t at = key.find(')'); at != std::string_view::npos; at = key.find(')', at + 1)) {
    size_t next = behind_spaces(at + 1);
    if (next == key.size() || key[next] != ',') continue;
    next = behind_spaces(next + 1);
    if (next == key.size() || key[next] != '(') continue;
    if (++seen == kRowsMin - 1) return true;
  }
  return false;
}

// One value of a row.
struct Cell {
  std::string_view key;   // without white space around it
  uint32_t literals = 0;  // before it, in its row
  uint32_t count = 0;     // its own
  bool is_literal() const { return key.size() == 1 && is_marker(key[0]); }
  bool is_null() const { return same_word(key, "null"); }
};

// Rows whose texts are equal but for the literals' values.
struct RowText {
  std::vector<Cell> cells;
  uint32_t literals = 0;
  size_t first_row = 0;
  uint32_t shape = 0, nulls = 0;
};

class Folder {
 public:
  Folder(std::string_view text, const ScannedText& scanned, FoldedText& out)
      : text_(text), scanned_(scanned), key_(scanned.key), out_(out) {}

  bool run() {
    out_.rows.clear();
    if (!head() || !rows() || out_.rows.size() < kRowsMin || !tail() || !shapes()) return false;
    write();
    scan_literals(out_.text, out_.scanned);
    return out_.scanned.cacheable;
  }

 private:
  char at(size_t i) const { return i < key_.size() ? key_[i] : '\0'; }
  void spaces() {
    while (is_space(at(pos_))) pos_++;
  }
  std::string_view word() {
    const size_t begin = pos_;
    while (in_word(at(pos_))) pos_++;
    return key_.substr(begin, pos_ - begin);
  }
  // Comments may hide anything.
  bool is_comment() const {
    return (at(pos_) == '-' && at(pos_ + 1) == '-') || (at(pos_) == '/' && at(pos_ + 1) == '*');
  }
  bool quoted_name() {
    const size_t end = key_.find('"', pos_ + 1);
    if (end == std::string_view::npos) return false;
    pos_ = end + 1;
    return true;
  }

  // INSERT INTO name (columns) VALUES
  bool head() {
    spaces();
    if (!same_word(word(), "insert")) return false;
    int depth = 0;
    while (pos_ < key_.size()) {
      const char c = at(pos_);
      if (is_comment()) return false;
      if (is_marker(c)) literal_++;
      if (c == '"') {
        if (!quoted_name()) return false;
        continue;
      }
      if (c == '(') depth++;
      if (c == ')') depth--;
      if (!is_letter(c)) {
        pos_++;
        continue;
      }
      const std::string_view w = word();
      if (any_word(w, {"select", "with", "table", "default"})) return false;
      if (depth == 0 && same_word(w, "values")) {
        spaces();
        head_literals_ = literal_;
        rows_begin_ = pos_;
        return at(pos_) == '(';
      }
    }
    return false;
  }

  bool rows() {
    for (;;) {
      if (!row()) return false;
      const size_t end = pos_;
      spaces();
      if (at(pos_) != ',') {
        pos_ = end;
        break;
      }
      pos_++;
      spaces();
    }
    rows_end_ = pos_;
    return true;
  }

  bool row() {
    // Most rows look like one before.
    const std::string_view left = key_.substr(pos_);
    if (!last_.empty() && left.substr(0, last_.size()) == last_) {
      add(last_text_);
      pos_ += last_.size();
      return true;
    }
    const size_t begin = pos_;
    RowText row;
    if (at(pos_) != '(' || !cells(row)) return false;
    last_ = key_.substr(begin, pos_ - begin);
    const auto [found, fresh] = by_text_.try_emplace(last_, texts_.size());
    if (fresh) {
      if (texts_.size() == kTextsMax) return false;
      if (!texts_.empty() && texts_[0].cells.size() != row.cells.size()) return false;
      row.first_row = out_.rows.size();
      texts_.push_back(std::move(row));
    }
    last_text_ = static_cast<uint32_t>(found->second);
    add(last_text_);
    return true;
  }
  void add(uint32_t text) {
    out_.rows.push_back({text, static_cast<uint32_t>(literal_), 0});
    literal_ += texts_[text].literals;
  }

  // A row in parentheses; afterwards pos_ is past it.
  bool cells(RowText& row) {
    int depth = 0;
    size_t begin = pos_ + 1;
    uint32_t before = 0;
    const auto end_cell = [&] {
      size_t end = pos_;
      while (begin < end && is_space(key_[begin])) begin++;
      while (end > begin && is_space(key_[end - 1])) end--;
      row.cells.push_back({key_.substr(begin, end - begin), before, row.literals - before});
      before = row.literals;
      begin = pos_ + 1;
      return !row.cells.back().key.empty();
    };
    while (pos_ < key_.size()) {
      const char c = at(pos_);
      if (is_comment()) return false;
      if (is_marker(c)) row.literals++;
      if (is_letter(c)) {
        // Parameters of a subquery belong to the statement, not to a row.
        if (any_word(word(), {"select", "with", "table", "values"})) return false;
        continue;
      }
      if (c == '"') {
        if (!quoted_name()) return false;
        continue;
      }
      if (c == '(' || c == '[') depth++;
      if (c == ',' && depth == 1 && !end_cell()) return false;
      if (c == ')' || c == ']') {
        if (depth == 1) {
          const bool whole = c == ')' && end_cell();
          pos_++;
          return whole;
        }
        depth--;
      }
      pos_++;
    }
    return false;
  }

  bool tail() {
    spaces();
    if (pos_ == key_.size()) return true;
    return any_word(word(), {"on", "returning"});
  }

  bool is_lifted_null(const Cell& cell, size_t column) const { return usual_[column] != '\0' && cell.is_null(); }

  // Rows that differ in NULLs only have one shape.
  bool shapes() {
    const size_t columns = texts_[0].cells.size();
    Literals none;
    none.fill(-1);
    literal_of_.assign(columns, none);
    usual_.assign(columns, '\0');
    for (const RowText& t : texts_) {
      for (size_t c = 0; c < columns; c++) {
        if (!t.cells[c].is_literal()) continue;
        const char kind = t.cells[c].key[0];
        if (usual_[c] == '\0') usual_[c] = kind;
        int64_t& literal = literal_of_[c][static_cast<size_t>(kind)];
        if (literal < 0) literal = out_.rows[t.first_row].first_literal + t.cells[c].literals;
      }
    }
    out_.null_literals.assign(1, {});
    std::unordered_map<std::string, uint32_t> by_shape;
    for (RowText& t : texts_) {
      std::string shape;
      std::vector<bool> nulls;
      bool any_null = false;
      for (size_t c = 0; c < columns; c++) {
        const bool null = is_lifted_null(t.cells[c], c);
        shape += null ? std::string_view(&usual_[c], 1) : t.cells[c].key;
        shape += ',';
        nulls.insert(nulls.end(), null ? 1 : t.cells[c].count, null);
        any_null |= null;
      }
      const auto [found, fresh] = by_shape.try_emplace(std::move(shape), static_cast<uint32_t>(by_shape.size()));
      if (fresh) {
        if (by_shape.size() > kShapesMax) return false;
        shape_texts_.push_back({&t, found->first});
      }
      t.shape = found->second;
      if (any_null) {
        t.nulls = static_cast<uint32_t>(out_.null_literals.size());
        out_.null_literals.push_back(std::move(nulls));
      }
    }
    return true;
  }

  // Where the text has what is at `key_at` in the key, after `literals` literals.
  size_t text_place(size_t key_at, size_t literals) const {
    if (literals == 0) return key_at;
    // Between two literals both texts are equal: count from the end of the one before.
    size_t at_key = key_at;
    while (!is_marker(key_[at_key - 1])) at_key--;
    return literal_end(literals - 1) + (key_at - at_key);
  }
  std::string_view literal_text(size_t i) const {
    const size_t begin = static_cast<size_t>(scanned_.literals[i].location);
    return text_.substr(begin, literal_end(i) - begin);
  }
  size_t literal_end(size_t i) const {
    const std::string_view raw = scanned_.raw[i].text;
    const bool string = scanned_.literals[i].kind == sql::LiftedLiteral::Class::kString;
    return static_cast<size_t>(scanned_.literals[i].location) + raw.size() + (string ? 2 : 0);
  }

  void write() {
    // The order does not depend on that of the rows.
    std::vector<uint32_t> order(shape_texts_.size()), place(shape_texts_.size());
    for (uint32_t i = 0; i < order.size(); i++) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return shape_texts_[a].shape < shape_texts_[b].shape; });
    if (order.size() == 1) order.push_back(0);  // several rows are analyzed by other rules than one
    out_.text.assign(text_.substr(0, text_place(rows_begin_, head_literals_)));
    out_.first_literal.clear();
    auto literals = static_cast<uint32_t>(head_literals_);
    for (uint32_t i = 0; i < order.size(); i++) {
      if (i > 0) out_.text += ", ";
      place[order[i]] = i;
      out_.first_literal.push_back(literals);
      literals += write_row(shape_texts_[order[i]]);
    }
    out_.first_literal.push_back(literals);
    out_.text.append(text_.substr(text_place(rows_end_, literal_)));
    for (FoldedText::Row& row : out_.rows) {
      const RowText& t = texts_[row.like];
      row.like = place[t.shape];
      row.nulls = t.nulls;
    }
  }

  struct Shape {
    const RowText* text;
    std::string shape;
  };
  // Answers how many literals it has.
  uint32_t write_row(const Shape& shape) {
    const size_t first = out_.rows[shape.text->first_row].first_literal;
    uint32_t literals = 0;
    out_.text += '(';
    for (size_t c = 0; c < shape.text->cells.size(); c++) {
      const Cell& cell = shape.text->cells[c];
      if (c > 0) out_.text += ", ";
      const bool null = is_lifted_null(cell, c);
      if (null || cell.is_literal()) {
        const char kind = null ? usual_[c] : cell.key[0];
        out_.text += literal_text(static_cast<size_t>(literal_of_[c][static_cast<size_t>(kind)]));
        literals++;
        continue;
      }
      size_t next = first + cell.literals;
      for (const char k : cell.key) {
        if (is_marker(k)) {
          out_.text += literal_text(next++);
        } else {
          out_.text += k;
        }
      }
      literals += cell.count;
    }
    out_.text += ')';
    return literals;
  }

  std::string_view text_;
  const ScannedText& scanned_;
  std::string_view key_;
  FoldedText& out_;
  size_t pos_ = 0;
  size_t literal_ = 0, head_literals_ = 0;
  size_t rows_begin_ = 0, rows_end_ = 0;
  std::string_view last_;
  uint32_t last_text_ = 0;
  std::vector<RowText> texts_;
  std::unordered_map<std::string_view, size_t> by_text_;
  using Literals = std::array<int64_t, kClasses + 1>;
  std::vector<Literals> literal_of_;  // by column and marker: one that a row has there; -1: none
  std::vector<char> usual_;           // by column: the class of a NULL; 0: it is no literal
  std::vector<Shape> shape_texts_;
};

bool has_subquery(const sql::ExprPtr& e) {
  if (e->kind == sql::ExprKind::kSubPlan || e->kind == sql::ExprKind::kSubLink) return true;
  bool any = false;
  sql::for_each_child(*e, [&](const sql::ExprPtr& child) { any = any || has_subquery(child); });
  return any;
}

}  // namespace

bool fold_rows(std::string_view text, const ScannedText& scanned, FoldedText& out) {
  return scanned.lifts && may_have_rows(scanned.key) && Folder(text, scanned, out).run();
}

const sql::ValuesPlan* repeating_values(const sql::PlannedStatement& plan, size_t rows) {
  if (plan.command != sql::CommandKind::kInsert) return nullptr;
  const sql::Plan* at = plan.root.get();
  while (at->kind != sql::PlanKind::kValues) {
    if (at->inputs.size() != 1) return nullptr;
    at = at->inputs[0].get();
  }
  const auto* values = static_cast<const sql::ValuesPlan*>(at);
  if (values->rows_of.size() != rows) return nullptr;
  for (const sql::ExprList& row : values->rows_of) {
    if (std::any_of(row.begin(), row.end(), has_subquery)) return nullptr;
  }
  return values;
}

}  // namespace indigo::engine
