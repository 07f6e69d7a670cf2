#include "engine/system/system_functions.h"

#include <string>
#include <unordered_map>

#include "engine/system/families.h"

namespace indigo::engine {

const SystemValue* find_system_value(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const SystemValue*> all;
    for (auto family : {setting_values(),
                        activity_values(),
                        front_door_values(),
                        advisory_lock_values(),
                        size_values(),
                        visibility_values(),
                        comment_values(),
                        object_values(),
                        operator_class_values(),
                        privilege_values(),
                        relation_values(),
                        counter_values(),
                        index_page_values(),
                        row_place_values(),
                        collation_values(),
                        relation_page_values(),
                        relation_check_values(),
                        statement_statistics_values(),
                        expression_values(),
                        index_definition_values(),
                        function_definition_values(),
                        view_definition_values(),
                        statistics_definition_values(),
                        trigger_definition_values(),
                        partition_definition_values(),
                        notification_values(),
                        event_trigger_values(),
                        domain_values(),
                        large_object_values(),
                        tablespace_values(),
                        text_search_values(),
                        xml_mapping_values(),
                        snapshot_values(),
                        server_file_values(),
                        dblink_values(),
                        foreign_values(),
                        remote_option_values(),
                        remote_table_values(),
                        replication_slot_values(),
                        durability_values()}) {
      for (const SystemValue& entry : family) all.emplace(entry.name, &entry);
    }
    return all;
  }();
  auto at = table.find(name);
  return at == table.end() ? nullptr : at->second;
}

const SystemRows* find_system_rows(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const SystemRows*> all;
    for (auto family : {setting_rows(),
                        activity_rows(),
                        front_door_rows(),
                        lock_rows(),
                        row_lock_rows(),
                        relation_check_rows(),
                        statement_rows(),
                        dblink_rows(),
                        remote_table_rows(),
                        counter_rows(),
                        statement_statistics_rows(),
                        extension_rows(),
                        storage_rows(),
                        size_rows(),
                        server_file_rows(),
                        durability_rows(),
                        worker_rows(),
                        partition_definition_rows(),
                        statistics_definition_rows(),
                        notification_rows(),
                        event_trigger_rows(),
                        publication_rows(),
                        tablespace_rows(),
                        text_search_rows(),
                        snapshot_rows(),
                        prepared_transaction_rows(),
                        replication_slot_rows(),
                        tablefunc_rows(),
                        xpath_table_rows()}) {
      for (const SystemRows& entry : family) all.emplace(entry.name, &entry);
    }
    return all;
  }();
  auto at = table.find(name);
  return at == table.end() ? nullptr : at->second;
}

}  // namespace indigo::engine
