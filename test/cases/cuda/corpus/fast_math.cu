// Fast-math intrinsics next to the exact functions, within the errors that the guide documents; roundings of __fadd_rd
// and its siblings to the bit; a few functions that C++ lacks.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 500

enum {
    EXP, EXP10, LOG, LOG2, SIN, COS, TAN, POW, DIVIDE, RSQRT, RCP, SQRT, FMA, SATURATE, SIGMOID, TANH, RSQRTD, NORM, CBRT,
    RCBRT, ERF, HYPOT, SINPI, EXP2, LDEXP, FREXP, COUNT
};

__global__ void fast(const float *a, const float *b, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = a[i], y = b[i], *o = out + i * COUNT, s, c;   // 0 < x <= 10, -3 <= y <= 3
    o[EXP] = __expf(y);
    o[EXP10] = __exp10f(y);
    o[LOG] = __logf(x);
    o[LOG2] = __log2f(x);
    __sincosf(y, &s, &c);
    o[SIN] = s;
    o[COS] = c;
    o[TAN] = __tanf(y * 0.4f);
    o[POW] = __powf(x, y);
    o[DIVIDE] = __fdividef(y, x);
    o[RSQRT] = rsqrtf(x);
    o[RCP] = __frcp_rn(x);
    o[SQRT] = __fsqrt_rn(x);
    o[FMA] = __fmaf_rn(x, y, -x);
    o[SATURATE] = __saturatef(y);
    o[SIGMOID] = 1.0f / (1.0f + __expf(-y));
    o[TANH] = tanhf(y);
    o[RSQRTD] = (float)rsqrt((double)x);
    o[NORM] = norm3df(x, y, 1.0f);
    o[CBRT] = cbrtf(y);
    o[RCBRT] = rcbrtf(x);
    o[ERF] = erff(y);
    o[HYPOT] = hypotf(x, y);
    o[SINPI] = sinpif(y);
    o[EXP2] = exp2f(y);
    o[LDEXP] = ldexpf(x, -3);
    int e;
    o[FREXP] = frexpf(x, &e) + e * 10;
}

// each pair: rounded down, rounded up
__global__ void roundings(const float *a, const float *b, float *out, int *ints)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float *o = out + i * 8;
    o[0] = __fadd_rd(a[i], b[i]);
    o[1] = __fadd_ru(a[i], b[i]);
    o[2] = __fmul_rd(a[i], b[i]);
    o[3] = __fmul_ru(a[i], b[i]);
    o[4] = __fdiv_rd(b[i], a[i]);
    o[5] = __fdiv_ru(b[i], a[i]);
    o[6] = __double2float_rd((double)a[i] * b[i]);
    o[7] = __double2float_ru((double)a[i] * b[i]);
    ints[4 * i] = __float2int_rn(b[i]);
    ints[4 * i + 1] = __float2int_rz(b[i]);
    ints[4 * i + 2] = __float2int_rd(b[i]);
    ints[4 * i + 3] = __float2int_ru(b[i]);
}

static void ck(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "fast_math: %s\n", cudaGetErrorString(e)); exit(1); } }

int main()
{
    static float a[N], b[N], out[N * COUNT], r[N * 8];
    static int ints[N * 4];
    float *da, *db, *dout, *dr;
    int *dints;
    for (int i = 0; i < N; i++) {
        a[i] = 10.0f * (i + 1) / N;
        b[i] = -3.0f + 6.0f * ((i * 77) % N) / (N - 1);
    }
    b[3] = 0.5f; b[4] = 2.5f; b[5] = -1.5f;   // ties
    ck(cudaMalloc(&da, sizeof a));
    ck(cudaMalloc(&db, sizeof b));
    ck(cudaMalloc(&dout, sizeof out));
    ck(cudaMalloc(&dr, sizeof r));
    ck(cudaMalloc(&dints, sizeof ints));
    ck(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    ck(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    fast<<<(N + 63) / 64, 64>>>(da, db, dout);
    ck(cudaGetLastError());
    roundings<<<(N + 63) / 64, 64>>>(da, db, dr, dints);
    ck(cudaGetLastError());
    ck(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    ck(cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost));
    ck(cudaMemcpy(ints, dints, sizeof ints, cudaMemcpyDeviceToHost));
    ck(cudaFree(da)); ck(cudaFree(db)); ck(cudaFree(dout)); ck(cudaFree(dr)); ck(cudaFree(dints));

    const double pi = 3.14159265358979323846;
    for (int i = 0; i < N; i++) {
        double x = a[i], y = b[i];
        int e;
        double f = frexp(x, &e);
        const double want[COUNT] = {exp(y), pow(10, y), log(x), log2(x), sin(y), cos(y), tan((float)(b[i] * 0.4f)), pow(x, y), y / x,
                                    1 / sqrt(x), 1 / x, sqrt(x), x * y - x, y < 0 ? 0 : y > 1 ? 1 : y, 1 / (1 + exp(-y)), tanh(y),
                                    1 / sqrt(x), sqrt(x * x + y * y + 1), cbrt(y), 1 / cbrt(x), erf(y), hypot(x, y), sin(pi * y),
                                    exp2(y), x / 8, f + e * 10};
        for (int k = 0; k < COUNT; k++) {
            // absolute errors of 2^-20 or so for the fast ones, relative ones of a few units for the others
            double tolerance = 4e-6 * fmax(1, fabs(want[k]));
            if (k == POW || k == EXP10) tolerance = 2e-5 * fmax(1, fabs(want[k]));
            if (k == RCP || k == SQRT || k == FMA) tolerance = fabs(want[k]) * ldexp(1, -24);
            if (k == SATURATE || k == LDEXP) tolerance = 0;
            if (!(fabs(out[i * COUNT + k] - want[k]) <= tolerance)) {
                printf("fast_math: function %d of element %d: expected %.9g, got %.9g\n", k, i, want[k], out[i * COUNT + k]);
                return 1;
            }
        }
        const double exact[4] = {x + y, x * y, y / x, x * y};
        for (int k = 0; k < 4; k++) {
            float low = r[i * 8 + 2 * k], high = r[i * 8 + 2 * k + 1];
            // sums and products of floats are exact in double, quotients are nearly so; the two ends are neighbours or equal
            bool right = low <= exact[k] && high >= exact[k] && (low == high || nextafterf(low, INFINITY) == high);
            if (k != 2) right = right && ((low == high) == ((float)exact[k] == exact[k]));
            if (!right) {
                printf("fast_math: rounding %d of element %d: expected around %.9g, got %.9g to %.9g\n", k, i, exact[k], low, high);
                return 1;
            }
        }
        const int wantInts[4] = {(int)nearbyint(y), (int)trunc(y), (int)floor(y), (int)ceil(y)};
        if (memcmp(ints + 4 * i, wantInts, sizeof wantInts)) {
            printf("fast_math: integers of %g: expected %d %d %d %d, got %d %d %d %d\n", y, wantInts[0], wantInts[1], wantInts[2],
                   wantInts[3], ints[4 * i], ints[4 * i + 1], ints[4 * i + 2], ints[4 * i + 3]);
            return 1;
        }
    }
    printf("fast_math: ok\n");
    return 0;
}
