/*
 * Horner's rule as a scan: the value of a polynomial at a point, and every partial result.
 *
 *     example_horner X C...      evaluates C[0] X^(n-1) + C[1] X^(n-2) + ... + C[n-1]
 *     example_horner             an example: 2 t^3 - 6 t^2 + 2 t - 1 at t = 3
 *
 * Horner's rule is the recurrence
 *
 *     p[0] = C[0],   p[i] = X p[i-1] + C[i]
 *
 * whose last term is the value. Each step seems to depend on the step before it. But step i is the
 * map p -> X p + C[i], and the composition of two such maps has the same form,
 *
 *     a' (a p + b) + b' = (a' a) p + (a' b + b'),
 *
 * so the steps are a scan whose operator is composition, which is associative and not commutative.
 * parscan_recurrence() computes that scan on all cores. The partial results are useful, too: they
 * are the coefficients of the quotient of the polynomial by (t - X), and the last one is the
 * remainder (synthetic division).
 *
 * Source: W. G. Horner, A new method of solving numerical equations of all orders, 1819; P. Kogge,
 * H. Stone, A Parallel Algorithm for the Efficient Solution of a General Class of Recurrence
 * Equations, 1973.
 */
#include <stdio.h>
#include <stdlib.h>

#include "parscan/parscan.h"

/* p[i] = x p[i-1] + c[i], with p[-1] = 0. factors has room for n elements. */
static parscan_status horner(parscan_context *context, double x, const double *c, double *factors,
                             double *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        factors[i] = x;
    return parscan_recurrence(context, PARSCAN_F64, factors, c, NULL, p, n);
}

static int fail(const char *what)
{
    fprintf(stderr, "example_horner: %s\n", what);
    return EXIT_FAILURE;
}

static int fail_word(const char *word)
{
    fprintf(stderr, "example_horner: '%s' is not a number\n", word);
    return EXIT_FAILURE;
}

static int print_horner(double x, const double *c, size_t n)
{
    parscan_context *context;
    const parscan_status status = parscan_context_create(&context, NULL);
    if (status != PARSCAN_OK)
        return fail(parscan_status_string(status));
    double *const factors = malloc(n * sizeof *factors), *const p = malloc(n * sizeof *p);
    int result = EXIT_SUCCESS;
    if (factors == NULL || p == NULL)
        result = fail("out of memory");
    else if (horner(context, x, c, factors, p, n) != PARSCAN_OK)
        result = fail(parscan_context_error(context));
    if (result == EXIT_SUCCESS) {
        fputs("partial results:", stdout);
        for (size_t i = 0; i < n; i++)
            printf(" %.17g", p[i]);
        printf("\nvalue: %.17g\n", p[n - 1]);
    }
    free(p);
    free(factors);
    parscan_context_destroy(context);
    return result;
}

int main(int argc, char **argv)
{
    static const double example[] = {2, -6, 2, -1};
    if (argc == 1)
        return print_horner(3, example, sizeof example / sizeof *example);
    const size_t n = (size_t)argc - 2;
    if (n == 0)
        return fail("usage: example_horner X C...");
    double *const numbers = malloc((n + 1) * sizeof *numbers); /* X and the coefficients */
    if (numbers == NULL)
        return fail("out of memory");
    int result = EXIT_SUCCESS;
    for (size_t i = 0; i <= n && result == EXIT_SUCCESS; i++) {
        char *end;
        numbers[i] = strtod(argv[i + 1], &end);
        if (end == argv[i + 1] || *end != '\0')
            result = fail_word(argv[i + 1]);
    }
    if (result == EXIT_SUCCESS)
        result = print_horner(numbers[0], numbers + 1, n);
    free(numbers);
    return result;
}
