// date, time, timetz, timestamp, timestamptz, interval.
#include "base/sqlstate.h"
#include "types/datetime/calendar.h"
#include "types/datetime/format.h"
#include "types/datetime/parse.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/type_definition.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

Datum date_in(FuncContext& context, const TypeRef&, Str text) {
  int32_t v = 0;
  return parse_date(context, text, v) ? Datum::of(v) : Datum::make_null(Phys::kI32);
}
void date_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  append_date(d.i32, context.session().format(), out);
}
Datum date_receive(FuncContext& context, const TypeRef&, Str bytes) {
  uint32_t v = 0;
  if (!receive_integer(context, bytes, v)) return Datum::make_null(Phys::kI32);
  const auto date = static_cast<int32_t>(v);
  if (is_finite_date(date) && !is_valid_date(date)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "date out of range");
    return Datum::make_null(Phys::kI32);
  }
  return Datum::of(date);
}
void date_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(static_cast<uint32_t>(d.i32), out);
}

using Parser = bool (*)(FuncContext&, Str, int32_t, int64_t&);
template <Parser P>
Datum i64_in(FuncContext& context, const TypeRef& type, Str text) {
  int64_t v = 0;
  return P(context, text, type.typmod, v) ? Datum::of(v) : Datum::make_null(Phys::kI64);
}
void time_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { append_time(d.i64, out); }
void timestamp_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  append_timestamp(d.i64, context.session().format(), out);
}
void timestamptz_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  append_timestamptz(d.i64, session_time_zone(context), context.session().format(), out);
}
void i64_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(static_cast<uint64_t>(d.i64), out);
}
Datum time_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  uint64_t v = 0;
  if (!receive_integer(context, bytes, v)) return Datum::make_null(Phys::kI64);
  const auto time = static_cast<int64_t>(v);
  if (time < 0 || time > kDay) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "time out of range");
    return Datum::make_null(Phys::kI64);
  }
  return Datum::of(round_time(time, type.typmod));
}
Datum timestamp_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  uint64_t v = 0;
  if (!receive_integer(context, bytes, v)) return Datum::make_null(Phys::kI64);
  const auto t = static_cast<int64_t>(v);
  if (!is_finite_timestamp(t)) return Datum::of(t);
  if (!is_valid_timestamp(t)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
    return Datum::make_null(Phys::kI64);
  }
  return Datum::of(round_time(t, type.typmod));
}

Datum timetz_in(FuncContext& context, const TypeRef& type, Str text) {
  Datum d = Datum::of(Block16{{0, 0}});
  return parse_timetz(context, text, type.typmod, d.timetz) ? d : Datum::make_null(Phys::kB16);
}
void timetz_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { append_timetz(d.timetz, out); }
Datum timetz_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  if (bytes.size() != 12) {
    fail_binary(context, "incorrect binary data format");
    return Datum::make_null(Phys::kB16);
  }
  const auto time = static_cast<int64_t>(big_endian(load_unaligned<uint64_t>(bytes.data())));
  const auto zone = static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(bytes.data() + 8)));
  if (time < 0 || time > kDay) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "time out of range");
    return Datum::make_null(Phys::kB16);
  }
  if (zone <= -16 * 3600 || zone >= 16 * 3600) {
    context.fail(SqlState("22009"), "time zone displacement out of range");
    return Datum::make_null(Phys::kB16);
  }
  Datum d = Datum::of(Block16{{0, 0}});
  d.timetz = TimeTz{round_time(time, type.typmod), zone, 0};
  return d;
}
void timetz_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(static_cast<uint64_t>(d.timetz.microseconds), out);
  send_integer(static_cast<uint32_t>(d.timetz.zone_seconds_west), out);
}

Datum interval_in(FuncContext& context, const TypeRef& type, Str text) {
  Interval v{};
  return parse_interval(context, text, type.typmod, v) ? Datum::of(v) : Datum::make_null(Phys::kB16);
}
void interval_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  append_interval(d.interval, context.session().format().interval_style, out);
}
Datum interval_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  if (bytes.size() != 16) {
    fail_binary(context, "incorrect binary data format");
    return Datum::make_null(Phys::kB16);
  }
  Interval v{static_cast<int64_t>(big_endian(load_unaligned<uint64_t>(bytes.data()))),
             static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(bytes.data() + 8))),
             static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(bytes.data() + 12)))};
  return apply_interval_typmod(context, v, type.typmod) ? Datum::of(v) : Datum::make_null(Phys::kB16);
}
void interval_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(static_cast<uint64_t>(d.interval.microseconds), out);
  send_integer(static_cast<uint32_t>(d.interval.days), out);
  send_integer(static_cast<uint32_t>(d.interval.months), out);
}

const TypeDefinition kDatetimeTypes[] = {
    {oid::kDate, date_in, date_out, date_receive, date_send, Phys::kI32, &kI32Order, KeyForm::kI32},
    {oid::kTime, i64_in<parse_time>, time_out, time_receive, i64_send, Phys::kI64, &kI64Order, KeyForm::kI64},
    {oid::kTimeTz, timetz_in, timetz_out, timetz_receive, timetz_send, Phys::kB16, &kTimeTzOrder, KeyForm::kTimeTz},
    {oid::kTimestamp, i64_in<parse_timestamp>, timestamp_out, timestamp_receive, i64_send, Phys::kI64, &kI64Order,
     KeyForm::kI64},
    {oid::kTimestampTz, i64_in<parse_timestamptz>, timestamptz_out, timestamp_receive, i64_send, Phys::kI64, &kI64Order,
     KeyForm::kI64},
    {oid::kInterval, interval_in, interval_out, interval_receive, interval_send, Phys::kB16, &kIntervalOrder,
     KeyForm::kInterval},
};

}  // namespace

std::span<const TypeDefinition> datetime_types() { return kDatetimeTypes; }

}  // namespace indigo::types
