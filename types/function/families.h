// The tables of all families of types and functions; families.cpp lists them. A new family is declared here and listed there.
#pragma once

#include "types/function/family.h"

namespace indigo::types {

struct TypeDefinition;

std::span<const TypeDefinition> number_types();
std::span<const TypeDefinition> string_types();
std::span<const TypeDefinition> datetime_types();
std::span<const TypeDefinition> json_types();
std::span<const TypeDefinition> catalog_types();  // reg*
std::span<const TypeDefinition> money_types();
std::span<const TypeDefinition> network_types();
std::span<const TypeDefinition> range_types();
std::span<const TypeDefinition> text_search_types();
std::span<const TypeDefinition> geometric_types();
std::span<const TypeDefinition> other_types();
std::span<const TypeDefinition> transaction_snapshot_types();

std::span<const ScalarEntry> integer_functions();
std::span<const ScalarEntry> integer_comparisons();
std::span<const ScalarEntry> float_functions();
std::span<const ScalarEntry> float_math();
std::span<const ScalarEntry> numeric_functions();
std::span<const ScalarEntry> number_templates();
std::span<const ScalarEntry> text_comparisons();
std::span<const ScalarEntry> text_functions();
std::span<const ScalarEntry> like_functions();
std::span<const ScalarEntry> regex_functions();
std::span<const ScalarEntry> concat_functions();
std::span<const ScalarEntry> bytea_functions();
std::span<const ScalarEntry> bit_functions();
std::span<const ScalarEntry> array_functions();
std::span<const ScalarEntry> array_construction();
std::span<const ScalarEntry> record_functions();
std::span<const ScalarEntry> datetime_comparisons();
std::span<const ScalarEntry> datetime_functions();
std::span<const ScalarEntry> datetime_extraction();
std::span<const ScalarEntry> datetime_to_char();
std::span<const ScalarEntry> datetime_from_char();
std::span<const ScalarEntry> json_access();
std::span<const ScalarEntry> json_building();
std::span<const ScalarEntry> jsonb_editing();
std::span<const ScalarEntry> json_records();
std::span<const ScalarEntry> json_path_functions();
std::span<const ScalarEntry> io_functions();
std::span<const ScalarEntry> hash_functions();
std::span<const ScalarEntry> value_hash_functions();
std::span<const ScalarEntry> datetime_range_frames();
std::span<const ScalarEntry> record_image_functions();
std::span<const ScalarEntry> transition_functions();
std::span<const ScalarEntry> acl_functions();
std::span<const ScalarEntry> vector_functions();
std::span<const ScalarEntry> money_functions();
std::span<const ScalarEntry> network_functions();
std::span<const ScalarEntry> range_functions();
std::span<const ScalarEntry> range_canonical_functions();
std::span<const ScalarEntry> multirange_functions();
std::span<const ScalarEntry> tsvector_functions();
std::span<const ScalarEntry> tsquery_functions();
std::span<const ScalarEntry> text_search_document_functions();
std::span<const ScalarEntry> text_search_query_functions();
std::span<const ScalarEntry> text_search_dictionary_functions();
std::span<const ScalarEntry> text_search_headline_functions();
std::span<const ScalarEntry> text_search_cover_functions();
std::span<const ScalarEntry> point_functions();
std::span<const ScalarEntry> segment_functions();
std::span<const ScalarEntry> line_functions();
std::span<const ScalarEntry> box_functions();
std::span<const ScalarEntry> path_functions();
std::span<const ScalarEntry> polygon_functions();
std::span<const ScalarEntry> circle_functions();
std::span<const ScalarEntry> shape_distances();
std::span<const ScalarEntry> value_functions();
std::span<const ScalarEntry> typmod_functions();
std::span<const ScalarEntry> session_functions();
std::span<const ScalarEntry> system_type_functions();
std::span<const ScalarEntry> delegated_functions();
std::span<const ScalarEntry> transaction_snapshot_functions();

std::span<const AggregateEntry> sum_aggregates();
std::span<const AggregateEntry> extreme_aggregates();
std::span<const AggregateEntry> collecting_aggregates();
std::span<const AggregateEntry> statistics_aggregates();
std::span<const AggregateEntry> ordered_set_aggregates();
std::span<const AggregateEntry> datetime_aggregates();
std::span<const AggregateEntry> json_aggregates();
std::span<const AggregateEntry> bit_aggregates();
std::span<const AggregateEntry> range_aggregates();

std::span<const SetEntry> series_sets();
std::span<const SetEntry> array_sets();
std::span<const SetEntry> json_sets();
std::span<const SetEntry> json_record_sets();
std::span<const SetEntry> json_path_sets();
std::span<const SetEntry> regex_sets();
std::span<const SetEntry> datetime_sets();
std::span<const SetEntry> information_sets();
std::span<const SetEntry> delegated_sets();
std::span<const SetEntry> multirange_sets();
std::span<const SetEntry> text_search_sets();
std::span<const SetEntry> text_search_parser_sets();
std::span<const SetEntry> transaction_snapshot_sets();

// ---- the lists
using TypeFamily = std::span<const TypeDefinition> (*)();
std::span<const TypeFamily> type_families();

}  // namespace indigo::types
