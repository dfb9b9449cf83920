#include "apps/cli/trace_html.h"

#include <inttypes.h>
#include <string.h>

#include "apps/cli/trace_page.h"
#include "apps/cli/trace_text.h"

/* What the page offers to choose from, by the names of tables.h. */
#define LISTED_OP(ctx, NAME, number, name, ...) ",\"" #name "\""
#define LISTED_TYPE(ctx, NAME, number, name, ...) ",\"" #name "\""
#define LISTED_ALGORITHM(ctx, NAME, number, name) ",\"" name "\""
static const char algorithms[] = "\"sequential\"" PARSCAN_BLOCK_ALGORITHMS(LISTED_ALGORITHM, );
static const char ops[] = PARSCAN_OPS(LISTED_OP, );
static const char types[] = PARSCAN_TYPES(LISTED_TYPE, );

/* The makers of operands as in the record, null for an identity. */
static void write_maker(int64_t maker, FILE *stream)
{
    if (maker == TRACE_IDENTITY)
        fputs("null", stream);
    else
        fprintf(stream, "%" PRId64, maker);
}

static void write_operation(const trace_operation *operation, FILE *stream)
{
    fputc('[', stream);
    write_maker(operation->earlier, stream);
    fputc(',', stream);
    write_maker(operation->later, stream);
    if (operation->row == TRACE_NOWHERE)
        fputs(",-1", stream);
    else
        fprintf(stream, ",%zu", operation->row);
    fprintf(stream, ",%u]", operation->depth);
}

/* What was asked for, and the operations as C recorded them, as JSON. Names and numbers need no escapes. */
static void write_made(const trace_record *record, FILE *stream)
{
    fprintf(stream, "{\"algorithms\":[%s],\"ops\":[%s],\"types\":[%s],\"most\":%d", algorithms,
            ops + 1, types + 1, TRACE_HTML_MOST);
    fprintf(stream, ",\n\"algorithm\":\"%s\",\"op\":\"%s\",\"type\":\"%s\",\"exclusive\":%s",
            parscan_algorithm_name(record->shape.algorithm), parscan_op_name(record->op),
            parscan_type_name(record->type), record->exclusive ? "true" : "false");
    fprintf(stream, ",\"threads\":%u,\"items\":%u,\n\"values\":[", record->asked.threads,
            record->asked.items);
    for (size_t i = 0; i < record->n; i++) {
        char text[TRACE_VALUE_SIZE];
        trace_value_print(record->type, record->rows[0].cells[i].element.value, text);
        fprintf(stream, "%s\"%s\"", i == 0 ? "" : ",", text);
    }
    fputs("],\n\"operations\":[", stream);
    for (size_t i = 0; i < record->operation_count; i++) {
        fputs(i == 0 ? "" : ",", stream);
        write_operation(&record->operations[i], stream);
    }
    fputs("]}", stream);
}

/* The text has no character that means something in HTML. */
bool trace_html_write(const trace_record *record, FILE *stream)
{
    static const char text_mark[] = "@TEXT@", made_mark[] = "@MADE@";
    const char *const page = (const char *)trace_page;
    const char *const text = strstr(page, text_mark), *const made = strstr(text, made_mark);
    fwrite(page, 1, (size_t)(text - page), stream);
    trace_write_text(record, stream);
    const char *const middle = text + strlen(text_mark);
    fwrite(middle, 1, (size_t)(made - middle), stream);
    write_made(record, stream);
    fputs(made + strlen(made_mark), stream);
    return true;
}
