/* Adds 0 to a pointer that is NULL, which is undefined. The build must find it. */
#include <stddef.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *at = argc > 99 ? argv[99] : NULL;
    at += at != NULL;
    printf("%p is not found\n", (const void *)at);
    return 0;
}
