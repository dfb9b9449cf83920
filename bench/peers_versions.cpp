// The names and versions of the C++ peers.
#include <numeric> // defines the macros that name the C++ library
#ifdef BENCH_HAVE_TBB
#include <tbb/version.h>
#endif
#ifdef BENCH_HAVE_THRUST
#include <thrust/version.h>
#endif

#include "elements.h"

#define WORDS_OF(x) #x
#define WORDS(x) WORDS_OF(x)

const char *bench_peer_versions(void)
{
    return
#ifdef _GLIBCXX_RELEASE
        "libstdc++ " WORDS(_GLIBCXX_RELEASE)
#else
        "another C++ library than libstdc++"
#endif
#ifdef BENCH_HAVE_TBB
            ", TBB " WORDS(TBB_VERSION_MAJOR) "." WORDS(TBB_VERSION_MINOR)
#else
        ", no TBB"
#endif
#ifdef BENCH_HIGHWAY_VERSION
                ", Highway " BENCH_HIGHWAY_VERSION
#else
        ", no Highway"
#endif
#ifdef BENCH_HAVE_THRUST
                ", Thrust " WORDS(THRUST_VERSION) " (OpenMP)"
#else
        ", no Thrust"
#endif
        ;
}
