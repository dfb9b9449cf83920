# Sourced by tests/run.sh and .ci/run: sets simd_sets to the option of CMake that builds two of the three SIMD
# sets, the portable one and the best that this processor can run (scan/cpu/isa.c).
simd_sets=
case " $(grep -m 1 '^flags' /proc/cpuinfo || true) " in
*' avx512_vbmi2 '*) simd_sets='-DPARSCAN_SIMD_SETS=portable;avx512' ;;
*' avx2 '*) simd_sets='-DPARSCAN_SIMD_SETS=portable;avx2' ;;
esac
