/*
 * An RGBA picture to gray, then blurred by a box filter.
 * Rows are pitched: cudaMallocPitch and cudaMemcpy2D, and uchar4 pixels.
 */
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define OK(expr) do { cudaError_t e_ = (expr); if (e_) { \
    printf("%s failed at %d: %s\n", #expr, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (false)

typedef unsigned char byte;

__global__
void toGray(const uchar4* __restrict__ in, size_t inPitch, byte* __restrict__ out, size_t outPitch, int w, int h)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x;
    const int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= w || y >= h) return;

    const uchar4* row = reinterpret_cast<const uchar4*>(reinterpret_cast<const char*>(in) + y * inPitch);
    const uchar4 p = row[x];
    out[y * outPitch + x] = static_cast<byte>((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
}

__global__
void boxBlur(const byte* in, byte* out, size_t pitch, int w, int h, int r)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < w && y < h) {
        int sum = 0, n = 0;
        for (int dy = -r; dy <= r; ++dy)
            for (int dx = -r; dx <= r; ++dx) {
                int xx = x + dx, yy = y + dy;
                if (xx < 0 || yy < 0 || xx >= w || yy >= h) continue;
                sum += in[yy * pitch + xx];
                ++n;
            }
        out[y * pitch + x] = static_cast<byte>(sum / n);
    }
}

int main()
{
    const int w = 131, h = 77, r = 2;
    std::vector<uchar4> picture(w * h);
    unsigned state = 12345u;
    for (auto& p : picture) {
        state = state * 1664525u + 1013904223u;
        p = make_uchar4(state >> 24, (state >> 16) & 255, (state >> 8) & 255, 255);
    }

    uchar4* dIn; byte *dGray, *dBlur; size_t inPitch, grayPitch, blurPitch;
    OK(cudaMallocPitch((void**)&dIn, &inPitch, w * sizeof(uchar4), h));
    OK(cudaMallocPitch((void**)&dGray, &grayPitch, w, h));
    OK(cudaMallocPitch((void**)&dBlur, &blurPitch, w, h));
    if (inPitch < w * sizeof(uchar4) || grayPitch < (size_t)w || grayPitch != blurPitch) {
        printf("gray_image: pitch: expected at least %zu, got %zu and %zu\n", w * sizeof(uchar4), inPitch, grayPitch);
        return 1;
    }
    OK(cudaMemcpy2D(dIn, inPitch, picture.data(), w * sizeof(uchar4), w * sizeof(uchar4), h, cudaMemcpyHostToDevice));

    dim3 block(16, 16);
    dim3 grid((w + 15) / 16, (h + 15) / 16);
    toGray <<< grid, block >>> (dIn, inPitch, dGray, grayPitch, w, h);
    OK(cudaPeekAtLastError());
    boxBlur <<< grid, block >>> (dGray, dBlur, grayPitch, w, h, r);
    OK(cudaPeekAtLastError());

    std::vector<byte> gray(w * h), blur(w * h);
    OK(cudaMemcpy2D(gray.data(), w, dGray, grayPitch, w, h, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy2D(blur.data(), w, dBlur, blurPitch, w, h, cudaMemcpyDeviceToHost));
    OK(cudaFree(dIn)); OK(cudaFree(dGray)); OK(cudaFree(dBlur));

    std::vector<byte> g(w * h);
    for (int i = 0; i < w * h; ++i) {
        g[i] = (byte)((77 * picture[i].x + 150 * picture[i].y + 29 * picture[i].z) >> 8);
        if (g[i] != gray[i]) { printf("gray_image: gray %d: expected %d, got %d\n", i, g[i], gray[i]); return 1; }
    }
    for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) {
        int sum = 0, n = 0;
        for (int yy = y - r; yy <= y + r; ++yy) for (int xx = x - r; xx <= x + r; ++xx)
            if (xx >= 0 && yy >= 0 && xx < w && yy < h) { sum += g[yy * w + xx]; ++n; }
        if (blur[y * w + x] != sum / n) {
            printf("gray_image: blurred %d: expected %d, got %d\n", y * w + x, sum / n, blur[y * w + x]);
            return 1;
        }
    }
    printf("gray_image: ok\n");
    return 0;
}
