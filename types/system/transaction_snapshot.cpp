// pg_snapshot, and txid_snapshot, its elder name: which transactions a snapshot sees, by their numbers.
// An image: xmin, xmax, and the numbers between them that were running, ascending, 8 bytes each in the machine's order.
#include <cerrno>
#include <cstdlib>

#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/set/producer.h"

namespace indigo::types {

namespace {

constexpr Oid kPgSnapshot = 5038, kTxidSnapshot = 2970;

class SnapshotView {
 public:
  explicit SnapshotView(Str image) : image_(image) {}
  uint64_t xmin() const { return at(0); }
  uint64_t xmax() const { return at(1); }
  size_t running() const { return image_.size() / 8 - 2; }
  uint64_t running(size_t i) const { return at(i + 2); }

 private:
  uint64_t at(size_t i) const { return load_unaligned<uint64_t>(image_.data() + 8 * i); }
  Str image_;
};

void append(uint64_t v, std::string& out) { out.append(reinterpret_cast<const char*>(&v), sizeof v); }

// A number whose lower half is zero stands for no transaction.
bool is_number(uint64_t v) { return static_cast<uint32_t>(v) != 0; }

uint64_t read_number(const char*& at) {
  char* end = nullptr;
  const uint64_t v = std::strtoull(at, &end, 10);
  at = end;
  return v;
}

Datum snapshot_in(FuncContext& context, const TypeRef&, Str text) {
  const std::string copy(text);
  const char* at = copy.c_str();
  const auto bad = [&] {
    fail_syntax(context, "pg_snapshot", text);
    return Datum::make_null(Phys::kStr);
  };
  const uint64_t xmin = read_number(at);
  if (*at++ != ':') return bad();
  const uint64_t xmax = read_number(at);
  if (*at++ != ':' || !is_number(xmin) || !is_number(xmax) || xmax < xmin) return bad();
  std::string image;
  append(xmin, image);
  append(xmax, image);
  for (uint64_t last = 0; *at != '\0';) {
    const uint64_t v = read_number(at);
    if (v < xmin || v >= xmax || v < last) return bad();
    if (v != last) append(v, image);
    last = v;
    if (*at == ',') {
      at++;
    } else if (*at != '\0') {
      return bad();
    }
  }
  return Datum::of(context.arena().copy(image));
}

void snapshot_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  const SnapshotView s(d.str);
  out += std::to_string(s.xmin()) + ":" + std::to_string(s.xmax()) + ":";
  for (size_t i = 0; i < s.running(); i++) out += (i == 0 ? "" : ",") + std::to_string(s.running(i));
}

Datum snapshot_receive(FuncContext& context, const TypeRef&, Str bytes) {
  const auto bad = [&](const char* message) {
    fail_binary(context, message);
    return Datum::make_null(Phys::kStr);
  };
  if (bytes.size() < 20) return bad("insufficient data left in message");
  const auto number = [&](size_t i) { return big_endian(load_unaligned<uint64_t>(bytes.data() + 4 + 8 * i)); };
  const uint32_t count = big_endian(load_unaligned<uint32_t>(bytes.data()));
  constexpr const char* kInvalid = "invalid external pg_snapshot data";
  if (bytes.size() != 20 + uint64_t{count} * 8) return bad(kInvalid);
  const uint64_t xmin = number(0), xmax = number(1);
  if (!is_number(xmin) || !is_number(xmax) || xmax < xmin) return bad(kInvalid);
  std::string image;
  append(xmin, image);
  append(xmax, image);
  uint64_t last = 0;
  for (size_t i = 0; i < count; i++) {
    const uint64_t v = number(2 + i);
    if (v < last || v < xmin || v > xmax) return bad(kInvalid);
    if (v != last) append(v, image);
    last = v;
  }
  return Datum::of(context.arena().copy(image));
}

void snapshot_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  const SnapshotView s(d.str);
  send_integer(static_cast<uint32_t>(s.running()), out);
  send_integer(s.xmin(), out);
  send_integer(s.xmax(), out);
  for (size_t i = 0; i < s.running(); i++) send_integer(s.running(i), out);
}

int64_t snapshot_xmin(Str image) { return static_cast<int64_t>(SnapshotView(image).xmin()); }
int64_t snapshot_xmax(Str image) { return static_cast<int64_t>(SnapshotView(image).xmax()); }

// Had the transaction ended before the snapshot?
bool visible_in_snapshot(int64_t id, Str image) {
  const SnapshotView s(image);
  const auto v = static_cast<uint64_t>(id);
  if (v < s.xmin()) return true;
  if (v >= s.xmax()) return false;
  size_t low = 0, high = s.running();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (s.running(middle) == v) return false;
    (s.running(middle) < v ? low : high) = s.running(middle) < v ? middle + 1 : middle;
  }
  return true;
}

std::unique_ptr<SetProducer> open_running(FuncContext&, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  const SnapshotView s(arguments[0].str);
  for (size_t i = 0; i < s.running(); i++) rows->add({Datum::of(static_cast<int64_t>(s.running(i)))});
  return rows;
}

const TypeDefinition kSnapshotTypes[] = {
    {kPgSnapshot, snapshot_in, snapshot_out, snapshot_receive, snapshot_send},
    {kTxidSnapshot, snapshot_in, snapshot_out, snapshot_receive, snapshot_send},
};
const ScalarEntry kSnapshotEntries[] = {
    {"pg_snapshot_xmin", kernel<snapshot_xmin>},
    {"pg_snapshot_xmax", kernel<snapshot_xmax>},
    {"pg_visible_in_snapshot", kernel<visible_in_snapshot>},
};
const SetEntry kSnapshotSets[] = {{"pg_snapshot_xip", open_running}};

}  // namespace

std::span<const TypeDefinition> transaction_snapshot_types() { return kSnapshotTypes; }
std::span<const ScalarEntry> transaction_snapshot_functions() { return kSnapshotEntries; }
std::span<const SetEntry> transaction_snapshot_sets() { return kSnapshotSets; }

}  // namespace indigo::types
