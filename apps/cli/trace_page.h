/*
 * The page of `trace --html`, from the files of apps/cli/page: a text that ends in 0, in which @TEXT@ and @MADE@
 * stand for what trace_html.c writes. CMake makes its source (cmake/page.cmake).
 */
#ifndef PARSCAN_CLI_TRACE_PAGE_H
#define PARSCAN_CLI_TRACE_PAGE_H

extern const unsigned char trace_page[];

#endif
