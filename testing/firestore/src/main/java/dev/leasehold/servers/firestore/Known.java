package dev.leasehold.servers.firestore;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The fields of requests that the server understands. A request with any other is refused, never half obeyed. */
final class Known {
    private static final String PACKAGE = "google.firestore.v1.";

    private static final Map<String, Set<String>> FIELDS = """
            ArrayValue: values
            BatchGetDocumentsRequest: database documents mask transaction new_transaction read_time request_options
            BatchWriteRequest: database writes labels request_options
            BatchWriteRequest.LabelsEntry: key value
            BeginTransactionRequest: database options request_options
            CommitRequest: database writes transaction request_options
            Cursor: values before
            Document: name fields
            Document.FieldsEntry: key value
            DocumentMask: field_paths
            DocumentTransform.FieldTransform: field_path set_to_server_value increment maximum minimum \
            append_missing_elements remove_all_from_array
            ListCollectionIdsRequest: parent page_size page_token read_time request_options
            ListDocumentsRequest: parent collection_id page_size page_token mask read_time show_missing request_options
            ListenRequest: database add_target remove_target labels request_options
            ListenRequest.LabelsEntry: key value
            MapValue: fields
            MapValue.FieldsEntry: key value
            PartitionQueryRequest: parent structured_query partition_count page_token page_size read_time \
            request_options
            Precondition: exists update_time
            RequestOptions: request_tags
            RollbackRequest: database transaction request_options
            RunAggregationQueryRequest: parent structured_aggregation_query transaction new_transaction read_time \
            request_options
            RunQueryRequest: parent structured_query transaction new_transaction read_time request_options
            StructuredAggregationQuery: structured_query aggregations
            StructuredAggregationQuery.Aggregation: count sum avg alias
            StructuredAggregationQuery.Aggregation.Avg: field
            StructuredAggregationQuery.Aggregation.Count: up_to
            StructuredAggregationQuery.Aggregation.Sum: field
            StructuredQuery: select from where order_by start_at end_at offset limit
            StructuredQuery.CollectionSelector: collection_id all_descendants
            StructuredQuery.CompositeFilter: op filters
            StructuredQuery.FieldFilter: field op value
            StructuredQuery.FieldReference: field_path
            StructuredQuery.Filter: composite_filter field_filter unary_filter
            StructuredQuery.Order: field direction
            StructuredQuery.Projection: fields
            StructuredQuery.UnaryFilter: op field
            Target: query documents resume_token read_time target_id
            Target.DocumentsTarget: documents
            Target.QueryTarget: parent structured_query
            TransactionOptions: read_only read_write
            TransactionOptions.ReadOnly: read_time
            TransactionOptions.ReadWrite: retry_transaction concurrency_mode
            Value: null_value boolean_value integer_value double_value timestamp_value string_value bytes_value \
            reference_value geo_point_value array_value map_value
            Write: update delete update_mask update_transforms current_document
            """.lines()
            .map(line -> line.split(": "))
            .collect(Collectors.toMap(parts -> parts[0], parts -> Set.copyOf(Arrays.asList(parts[1].split(" ")))));

    private Known() {}

    static void check(Message message) {
        String type = message.getDescriptorForType().getFullName();
        message.getUnknownFields().asMap().keySet().stream().findAny().ifPresent(number -> {
            throw Refusals.unimplemented("Field " + number + " of " + type);
        });
        if (type.startsWith(PACKAGE)) {
            Set<String> known = FIELDS.getOrDefault(type.substring(PACKAGE.length()), Set.of());
            message.getAllFields().forEach((field, value) -> check(type, known, field, value));
        }
    }

    private static void check(String type, Set<String> known, FieldDescriptor field, Object value) {
        if (!known.contains(field.getName())) {
            throw Refusals.unimplemented(type + "." + field.getName());
        }
        if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            Function<Object, List<?>> all = one -> field.isRepeated() ? (List<?>) one : List.of(one);
            all.apply(value).forEach(part -> check((Message) part));
        }
    }
}
