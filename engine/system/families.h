// The families of system functions, one file each.
#pragma once

#include <span>

#include "engine/system/system_functions.h"

namespace indigo::engine {

std::span<const SystemValue> setting_values();
std::span<const SystemRows> setting_rows();
std::span<const SystemRows> activity_rows();
std::span<const SystemValue> activity_values();
std::span<const SystemRows> lock_rows();
std::span<const SystemRows> row_lock_rows();
std::span<const SystemValue> advisory_lock_values();
std::span<const SystemValue> size_values();
std::span<const SystemRows> size_rows();
std::span<const SystemRows> statement_rows();
std::span<const SystemRows> statement_statistics_rows();
std::span<const SystemValue> statement_statistics_values();
std::span<const SystemValue> visibility_values();
std::span<const SystemValue> comment_values();
std::span<const SystemValue> object_values();
std::span<const SystemValue> operator_class_values();
std::span<const SystemValue> privilege_values();
std::span<const SystemValue> relation_values();
std::span<const SystemValue> counter_values();
std::span<const SystemValue> index_page_values();
std::span<const SystemValue> relation_page_values();
std::span<const SystemValue> row_place_values();
std::span<const SystemValue> collation_values();
std::span<const SystemValue> relation_check_values();
std::span<const SystemRows> relation_check_rows();
std::span<const SystemRows> counter_rows();
std::span<const SystemRows> extension_rows();
std::span<const SystemRows> front_door_rows();
std::span<const SystemValue> front_door_values();
std::span<const SystemRows> storage_rows();
std::span<const SystemRows> durability_rows();
std::span<const SystemValue> durability_values();
std::span<const SystemRows> worker_rows();
std::span<const SystemRows> notification_rows();
std::span<const SystemRows> publication_rows();
std::span<const SystemRows> event_trigger_rows();
std::span<const SystemValue> event_trigger_values();
std::span<const SystemValue> notification_values();
std::span<const SystemValue> domain_values();
std::span<const SystemValue> large_object_values();
std::span<const SystemValue> tablespace_values();
std::span<const SystemRows> tablespace_rows();
std::span<const SystemValue> text_search_values();
std::span<const SystemRows> text_search_rows();
std::span<const SystemRows> tablefunc_rows();
std::span<const SystemRows> xpath_table_rows();
std::span<const SystemValue> foreign_values();
std::span<const SystemValue> remote_option_values();
std::span<const SystemValue> remote_table_values();
std::span<const SystemRows> remote_table_rows();
std::span<const SystemValue> dblink_values();
std::span<const SystemRows> dblink_rows();
std::span<const SystemValue> server_file_values();
std::span<const SystemRows> server_file_rows();
std::span<const SystemValue> xml_mapping_values();
std::span<const SystemValue> snapshot_values();
std::span<const SystemRows> snapshot_rows();
std::span<const SystemRows> prepared_transaction_rows();
std::span<const SystemValue> replication_slot_values();
std::span<const SystemRows> replication_slot_rows();
// engine/system/definitions
std::span<const SystemValue> expression_values();
std::span<const SystemValue> index_definition_values();
std::span<const SystemValue> function_definition_values();
std::span<const SystemValue> view_definition_values();
std::span<const SystemValue> statistics_definition_values();
std::span<const SystemValue> trigger_definition_values();
std::span<const SystemValue> partition_definition_values();
std::span<const SystemRows> partition_definition_rows();
std::span<const SystemRows> statistics_definition_rows();

// Results of system functions.
inline OwnedDatum value_of(bool v) { return OwnedDatum(Datum::of(v)); }
inline OwnedDatum value_of(int64_t v) { return OwnedDatum(Datum::of(v)); }
inline OwnedDatum null_value(Phys phys) { return OwnedDatum(Datum::make_null(phys)); }
inline Datum text_datum(std::string_view s) { return Datum::of(Str(s)); }
inline Datum null_text() { return Datum::make_null(Phys::kStr); }

}  // namespace indigo::engine
