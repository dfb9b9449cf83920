#include "apps/cli/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fail(failure *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

bool fail_out_of_memory(failure *why)
{
    return fail(why, "out of memory");
}

bool fail_in(failure *why, const char *name)
{
    struct failure inner = *why;
    /* If there is too little room, the name is cut, not the message. */
    const int room = (int)(sizeof inner.text - 3 - strlen(inner.text));
    return fail(why, "%.*s: %s", room, name, inner.text);
}

void failure_print(const failure *why)
{
    char line[sizeof why->text];
    size_t length = 0;
    for (; why->text[length] != '\0'; length++) {
        const unsigned char c = (unsigned char)why->text[length];
        line[length] = c < ' ' || c == 0x7f ? '?' : (char)c;
    }
    fprintf(stderr, "%s: %.*s\n", program_name, (int)length, line);
}
