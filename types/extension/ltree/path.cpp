// ltree: paths, and the words of conditions.
#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/extension/index_entry.h"
#include "types/extension/ltree/ltree.h"
#include "types/function/kernel.h"
#include "types/io/client_text.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types::ltree {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins(Str text, Str with, bool any_case) {
  if (!any_case) return text.starts_with(with);
  return text.size() >= with.size() &&
         std::equal(with.begin(), with.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

bool alike(const Word& word, Str part, Str text) {
  return (text.size() == part.size() || (word.beginning && text.size() > part.size())) &&
         begins(text, part, word.any_case);
}

// Calls `each` with the parts between underscores until it answers false; whether it never did.
template <class Each>
bool all_parts(Str text, const Each& each) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('_', at), text.size());
    if (end > at && !each(text.substr(at, end - at))) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

std::vector<Str> labels_of(Str path) {
  std::vector<Str> out;
  if (path.empty()) return out;
  for (size_t at = 0;;) {
    const size_t end = path.find('.', at);
    out.push_back(path.substr(at, end == Str::npos ? Str::npos : end - at));
    if (end == Str::npos) return out;
    at = end + 1;
  }
}

std::string path_of(const std::vector<Str>& labels, size_t first, size_t last) {
  std::string out;
  for (size_t i = first; i < last; i++) {
    if (i > first) out += '.';
    out += labels[i];
  }
  return out;
}

bool matches(const Word& word, Str label) {
  if (!word.by_words) return alike(word, word.text, label);
  return all_parts(word.text,
                   [&](Str part) { return !all_parts(label, [&](Str text) { return !alike(word, part, text); }); });
}

void print(const Word& word, std::string& out) {
  out += word.text;
  if (word.by_words) out += '%';
  if (word.any_case) out += '@';
  if (word.beginning) out += '*';
}

Error too_long(size_t length, size_t at) {
  return Error(SqlState("42622"), "label string is too long")
      .with_detail("Label length is " + std::to_string(length) + ", must be at most " +
                   std::to_string(kMostLabelBytes) + ", at character " + std::to_string(at) + ".");
}

namespace {

bool check_path(FuncContext& context, Str text) {
  const auto refuse = [&](Error error) {
    context.fail(std::move(error));
    return false;
  };
  const auto count = static_cast<size_t>(std::count(text.begin(), text.end(), '.')) + 1;
  if (count > kMostLabels) {
    return refuse(Error(sqlstate::kProgramLimitExceeded, "number of ltree labels (" + std::to_string(count) +
                                                             ") exceeds the maximum allowed (" +
                                                             std::to_string(kMostLabels) + ")"));
  }
  size_t length = 0;
  for (size_t i = 0; i <= text.size(); i++) {
    const bool end = i == text.size();
    if (!end && is_label_character(text[i])) {
      length++;
      continue;
    }
    if (end && length == 0) {
      if (text.empty()) return true;
      return refuse(Error(sqlstate::kSyntaxError, "ltree syntax error").with_detail("Unexpected end of input."));
    }
    if (length == 0 || (!end && text[i] != '.'))
      return refuse(Error(sqlstate::kSyntaxError, "ltree syntax error at character " + std::to_string(i + 1)));
    if (length > kMostLabelBytes) return refuse(too_long(length, i + 1));
    length = 0;
  }
  return true;
}

// ---- forms: text, and bytes that begin with a version

constexpr char kVersion = 1;

template <std::optional<std::string> (*kRead)(FuncContext&, Str)>
Datum input(FuncContext& context, const TypeRef&, Str text) {
  const auto image = kRead(context, text);
  return image ? Datum::of(context.arena().copy(*image)) : Datum::make_null(Phys::kStr);
}
void output(FuncContext&, const TypeRef&, const Datum& value, std::string& out) { out += value.str; }
template <std::optional<std::string> (*kRead)(FuncContext&, Str)>
Datum receive(FuncContext& context, const TypeRef& type, Str bytes) {
  if (bytes.empty()) {
    context.fail(sqlstate::kProtocolViolation, "no data left in message");
  } else if (bytes[0] != kVersion) {
    context.fail(sqlstate::kInternalError,
                 "unsupported version number " + std::to_string(static_cast<unsigned char>(bytes[0])));
  } else if (const Str text = receive_text(context, bytes.substr(1));
             !context.failed() && check_encoding(context, text)) {
    return input<kRead>(context, type, text);
  }
  return Datum::make_null(Phys::kStr);
}
void send(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  out += kVersion;
  send_text(context, value.str, out);
}

std::optional<std::string> read_path(FuncContext& context, Str text) {
  return check_path(context, text) ? std::optional<std::string>(text) : std::nullopt;
}
std::optional<std::string> pattern_image(FuncContext& context, Str text) {
  const auto pattern = read_pattern(context, text);
  return pattern ? std::optional<std::string>(print(*pattern)) : std::nullopt;
}
std::optional<std::string> terms_image(FuncContext& context, Str text) {
  const auto terms = read_terms(context, text);
  return terms ? std::optional<std::string>(print(*terms)) : std::nullopt;
}

template <std::optional<std::string> (*kRead)(FuncContext&, Str)>
std::optional<std::string> in(FuncContext& context, Str text) {
  return kRead(context, text);
}
Str out(Str image) { return image; }
std::string send_bytes(Str image) { return kVersion + std::string(image); }

const ScalarEntry kFormFunctions[] = {
    {"ltree_in", kernel<in<read_path>>},      {"ltree_out", kernel<out>},
    {"ltree_recv", uncallable_kernel},        {"ltree_send", kernel<send_bytes>},
    {"lquery_in", kernel<in<pattern_image>>}, {"lquery_out", kernel<out>},
    {"lquery_recv", uncallable_kernel},       {"lquery_send", kernel<send_bytes>},
    {"ltxtq_in", kernel<in<terms_image>>},    {"ltxtq_out", kernel<out>},
    {"ltxtq_recv", uncallable_kernel},        {"ltxtq_send", kernel<send_bytes>},
};

// ---- order

int32_t compare(Str a, Str b) {
  const std::vector<Str> left = labels_of(a), right = labels_of(b);
  const auto weight = [](int64_t difference, size_t labels_left) {
    return static_cast<int32_t>(difference * 10 * (static_cast<int64_t>(labels_left) + 1));
  };
  const size_t common = std::min(left.size(), right.size());
  for (size_t i = 0; i < common; i++) {
    const size_t length = std::min(left[i].size(), right[i].size());
    const int order = left[i].substr(0, length).compare(right[i].substr(0, length));
    if (order != 0) return weight(order < 0 ? -1 : 1, left.size() - i);
    if (left[i].size() == right[i].size()) continue;
    return weight(static_cast<int64_t>(left[i].size()) - static_cast<int64_t>(right[i].size()), left.size() - i);
  }
  return weight(static_cast<int64_t>(left.size()) - static_cast<int64_t>(right.size()), left.size() - common);
}
bool less(Str a, Str b) { return a < b; }
bool less_equal(Str a, Str b) { return a <= b; }
bool equal(Str a, Str b) { return a == b; }
bool greater_equal(Str a, Str b) { return a >= b; }
bool greater(Str a, Str b) { return a > b; }
bool not_equal(Str a, Str b) { return a != b; }

// ---- parts

std::optional<std::string> part(FuncContext& context, Str path, int64_t first, int64_t last) {
  const std::vector<Str> labels = labels_of(path);
  const auto count = static_cast<int64_t>(labels.size());
  if (first < 0 || last < 0 || first >= count || first > last) {
    context.fail(sqlstate::kInvalidParameterValue, "invalid positions");
    return std::nullopt;
  }
  return path_of(labels, static_cast<size_t>(first), static_cast<size_t>(std::min(last, count)));
}
std::optional<std::string> subltree(FuncContext& context, Str path, int32_t first, int32_t last) {
  return part(context, path, first, last);
}
// From the end when negative; a length that is negative leaves as many labels out at the end.
std::optional<std::string> subpath_of(FuncContext& context, Str path, int64_t first, std::optional<int64_t> length) {
  const auto count = static_cast<int64_t>(labels_of(path).size());
  for (int i = 0; i < 2 && first < 0; i++) first += count;
  const int64_t last = !length ? static_cast<int64_t>(kMostLabels) : *length < 0 ? count + *length : first + *length;
  return part(context, path, first, last);
}
std::optional<std::string> subpath(FuncContext& context, Str path, int32_t first, int32_t length) {
  return subpath_of(context, path, first, length);
}
std::optional<std::string> subpath_to_end(FuncContext& context, Str path, int32_t first) {
  return subpath_of(context, path, first, std::nullopt);
}

int32_t position_of(Str path, Str wanted, int64_t from) {
  const std::vector<Str> labels = labels_of(path), part = labels_of(wanted);
  const auto count = static_cast<int64_t>(labels.size()), length = static_cast<int64_t>(part.size());
  if (from < 0) from = -from >= count ? 0 : count + from;
  if (length == 0 || from >= count) return -1;
  note_work(labels.size());
  for (int64_t i = from; i + length <= count; i++) {
    if (std::equal(part.begin(), part.end(), labels.begin() + i)) return static_cast<int32_t>(i);
  }
  return -1;
}
int32_t index(Str path, Str wanted) { return position_of(path, wanted, 0); }
int32_t index_from(Str path, Str wanted, int32_t from) { return position_of(path, wanted, from); }

int32_t nlevel(Str path) { return static_cast<int32_t>(labels_of(path).size()); }
Str as_text(Str path) { return path; }
std::optional<std::string> from_text(FuncContext& context, Str text) { return read_path(context, text); }

std::optional<std::string> joined(FuncContext& context, Str a, Str b) {
  const size_t count = labels_of(a).size() + labels_of(b).size();
  if (count > kMostLabels) {
    context.fail(sqlstate::kProgramLimitExceeded, "number of ltree levels (" + std::to_string(count) +
                                                      ") exceeds the maximum allowed (" + std::to_string(kMostLabels) +
                                                      ")");
    return std::nullopt;
  }
  std::string out(a);
  if (!a.empty() && !b.empty()) out += '.';
  return out.append(b);
}
std::optional<std::string> add_text(FuncContext& context, Str path, Str text) {
  return check_path(context, text) ? joined(context, path, text) : std::nullopt;
}
std::optional<std::string> text_add(FuncContext& context, Str text, Str path) {
  return check_path(context, text) ? joined(context, text, path) : std::nullopt;
}

// ---- ancestors

bool is_ancestor(Str a, Str b) {
  return a.empty() || (b.starts_with(a) && (b.size() == a.size() || b[a.size()] == '.'));
}
bool is_descendant(Str a, Str b) { return is_ancestor(b, a); }

// Of all paths, and shorter than each of them; null when one has none.
std::optional<std::string> common_ancestor(const std::vector<Str>& paths) {
  if (paths.empty()) return std::nullopt;
  const std::vector<Str> first = labels_of(paths[0]);
  size_t common = SIZE_MAX;
  for (const Str path : paths) {
    const std::vector<Str> labels = labels_of(path);
    if (labels.empty()) return std::nullopt;
    size_t same = 0;
    while (same < labels.size() && same < first.size() && labels[same] == first[same]) same++;
    common = std::min({common, same, labels.size() - 1});
  }
  return path_of(first, 0, common);
}

// The elements; fails unless they stand in a row and none is null.
std::optional<std::vector<Str>> row_of(FuncContext& context, Str array) {
  const ArrayView view(array);
  if (view.dimensions() > 1) {
    context.fail(sqlstate::kArraySubscriptError, "array must be one-dimensional");
    return std::nullopt;
  }
  if (view.has_nulls()) {
    context.fail(sqlstate::kNullValueNotAllowed, "array must not contain nulls");
    return std::nullopt;
  }
  std::vector<Str> out;
  for (int32_t i = 0; i < view.count(); i++) out.push_back(view.element(i).str);
  return out;
}

std::optional<std::string> lca_of_array(FuncContext& context, Str array) {
  const auto paths = row_of(context, array);
  return paths ? common_ancestor(*paths) : std::nullopt;
}
template <class... P>
std::optional<std::string> lca(P... paths) {
  return common_ancestor({paths...});
}

void lca_kernel(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                Selection selection, Vector& out) {
  using S = Str;
  static constexpr ScalarKernel kByCount[] = {kernel<lca<S, S>>,
                                              kernel<lca<S, S, S>>,
                                              kernel<lca<S, S, S, S>>,
                                              kernel<lca<S, S, S, S, S>>,
                                              kernel<lca<S, S, S, S, S, S>>,
                                              kernel<lca<S, S, S, S, S, S, S>>,
                                              kernel<lca<S, S, S, S, S, S, S, S>>};
  kByCount[arguments.size() - 2](context, call, arguments, selection, out);
}
void subpath_kernel(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                    Selection selection, Vector& out) {
  (arguments.size() == 2 ? kernel<subpath_to_end> : kernel<subpath>)(context, call, arguments, selection, out);
}
void index_kernel(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                  Selection selection, Vector& out) {
  (arguments.size() == 2 ? kernel<index> : kernel<index_from>)(context, call, arguments, selection, out);
}

// ---- arrays of paths: whether one of them is, and the first that is

template <bool (*kTest)(Str, Str)>
std::optional<Str> first_of(FuncContext& context, Str array, Str path) {
  const auto paths = row_of(context, array);
  if (!paths) return std::nullopt;
  const auto found = std::find_if(paths->begin(), paths->end(), [&](Str p) { return kTest(p, path); });
  return found == paths->end() ? std::nullopt : std::optional<Str>(*found);
}
template <bool (*kTest)(Str, Str)>
bool some(FuncContext& context, Str array, Str path) {
  return first_of<kTest>(context, array, path).has_value();
}
template <bool (*kTest)(Str, Str)>
bool some_reversed(FuncContext& context, Str path, Str array) {
  return some<kTest>(context, array, path);
}

const ScalarEntry kPathFunctions[] = {
    {"ltree_cmp", kernel<compare>},
    {"ltree_lt", kernel<less>},
    {"ltree_le", kernel<less_equal>},
    {"ltree_eq", kernel<equal>},
    {"ltree_ge", kernel<greater_equal>},
    {"ltree_gt", kernel<greater>},
    {"ltree_ne", kernel<not_equal>},
    {"subltree", kernel<subltree>},
    {"subpath", subpath_kernel},
    {"ltree_index", index_kernel},
    {"nlevel", kernel<nlevel>},
    {"ltree2text", kernel<as_text>},
    {"text2ltree", kernel<from_text>},
    {"_lca", kernel<lca_of_array>},
    {"lca", lca_kernel},
    {"ltree_isparent", kernel<is_ancestor>},
    {"ltree_risparent", kernel<is_descendant>},
    {"ltree_addltree", kernel<joined>},
    {"ltree_addtext", kernel<add_text>},
    {"ltree_textadd", kernel<text_add>},
    {"_ltree_isparent", kernel<some<is_ancestor>>},
    {"_ltree_risparent", kernel<some<is_descendant>>},
    {"_ltree_r_isparent", kernel<some_reversed<is_ancestor>>},
    {"_ltree_r_risparent", kernel<some_reversed<is_descendant>>},
    {"_ltree_extract_isparent", kernel<first_of<is_ancestor>>},
    {"_ltree_extract_risparent", kernel<first_of<is_descendant>>},
};

// ---- conditions on paths

// A condition for many rows is read once.
template <class Condition>
struct ReadCondition {
  std::optional<Condition> condition;
  std::string of;
};
template <class Condition, std::optional<Condition> (*kRead)(FuncContext&, Str)>
const Condition* read_once(FuncContext& context, Str text) {
  auto& [condition, of] = context.cached<ReadCondition<Condition>>();
  if (!condition || of != text) {
    condition = kRead(context, text);
    of = text;
  }
  return condition ? &*condition : nullptr;
}
template <class Condition, std::optional<Condition> (*kRead)(FuncContext&, Str)>
bool holds(FuncContext& context, Str path, Str text) {
  const Condition* const read = read_once<Condition, kRead>(context, text);
  return read != nullptr && matches(*read, labels_of(path));
}
template <bool (*kTest)(FuncContext&, Str, Str)>
bool reversed(FuncContext& context, Str a, Str b) {
  return kTest(context, b, a);
}
template <bool (*kTest)(FuncContext&, Str, Str)>
std::optional<Str> first_where(FuncContext& context, Str array, Str text) {
  const auto paths = row_of(context, array);
  if (!paths) return std::nullopt;
  const auto found = std::find_if(paths->begin(), paths->end(), [&](Str path) { return kTest(context, path, text); });
  return found == paths->end() ? std::nullopt : std::optional<Str>(*found);
}
template <bool (*kTest)(FuncContext&, Str, Str)>
bool some_where(FuncContext& context, Str array, Str text) {
  return first_where<kTest>(context, array, text).has_value();
}

bool fits(FuncContext& context, Str path, Str pattern) { return holds<Pattern, read_pattern>(context, path, pattern); }
bool has_terms(FuncContext& context, Str path, Str terms) { return holds<Terms, read_terms>(context, path, terms); }
bool fits_one(FuncContext& context, Str path, Str patterns) {
  const auto all = row_of(context, patterns);
  return all && std::any_of(all->begin(), all->end(), [&](Str pattern) { return fits(context, path, pattern); });
}

const ScalarEntry kConditionFunctions[] = {
    {"ltq_regex", kernel<fits>},
    {"ltq_rregex", kernel<reversed<fits>>},
    {"lt_q_regex", kernel<fits_one>},
    {"lt_q_rregex", kernel<reversed<fits_one>>},
    {"ltxtq_exec", kernel<has_terms>},
    {"ltxtq_rexec", kernel<reversed<has_terms>>},
    {"_ltq_regex", kernel<some_where<fits>>},
    {"_ltq_rregex", kernel<reversed<some_where<fits>>>},
    {"_lt_q_regex", kernel<some_where<fits_one>>},
    {"_lt_q_rregex", kernel<reversed<some_where<fits_one>>>},
    {"_ltxtq_exec", kernel<some_where<has_terms>>},
    {"_ltxtq_rexec", kernel<reversed<some_where<has_terms>>>},
    {"_ltq_extract_regex", kernel<first_where<fits>>},
    {"_ltxtq_extract_exec", kernel<first_where<has_terms>>},
};

}  // namespace

std::span<const ScalarEntry> form_functions() { return kFormFunctions; }
std::span<const ScalarEntry> path_functions() { return kPathFunctions; }
std::span<const ScalarEntry> condition_functions() { return kConditionFunctions; }

const TypeDefinition kPathForms = {kInvalidOid, input<read_path>, output,       receive<read_path>,
                                   send,        Phys::kStr,       &kBytesOrder, KeyForm::kText};
const TypeDefinition kPatternForms = {kInvalidOid, input<pattern_image>, output, receive<pattern_image>, send,
                                      Phys::kStr};
const TypeDefinition kTermsForms = {kInvalidOid, input<terms_image>, output, receive<terms_image>, send, Phys::kStr};

}  // namespace indigo::types::ltree
