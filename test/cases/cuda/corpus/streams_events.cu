// Work in several streams: pinned memory, asynchronous copies both ways, events that order streams and that measure,
// a host function in a stream, queries, and streams with priorities and without the default stream's blocking.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define API(name, ...)                                                                      \
  do {                                                                                      \
    const cudaError_t status = cuda##name(__VA_ARGS__);                                     \
    if (status != cudaSuccess) {                                                            \
      std::fprintf(stderr, "streams_events.cu:%d: cuda" #name ": %s\n", __LINE__,           \
                   cudaGetErrorString(status));                                             \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void affine(int* data, int n, int factor, int offset) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = data[i] * factor + offset;
}

__global__ void combine(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] - b[i];
}

struct Note {
  const int* data;
  int seen, calls;
};

void CUDART_CB onHost(void* argument) {
  Note* note = static_cast<Note*>(argument);
  note->seen = note->data[7];
  ++note->calls;
}

int main() {
  const int kStreams = 3, chunk = 3001, n = kStreams * chunk;
  int *pinned, *device;
  API(MallocHost, (void**)&pinned, n * sizeof(int));
  API(Malloc, &device, n * sizeof(int));
  for (int i = 0; i < n; ++i) pinned[i] = i % 1000;

  cudaStream_t streams[kStreams];
  int least, greatest;
  API(DeviceGetStreamPriorityRange, &least, &greatest);
  API(StreamCreate, &streams[0]);
  API(StreamCreateWithFlags, &streams[1], cudaStreamNonBlocking);
  API(StreamCreateWithPriority, &streams[2], cudaStreamNonBlocking, greatest);
  cudaEvent_t begin, end, ready[kStreams];
  API(EventCreate, &begin);
  API(EventCreate, &end);
  for (auto& e : ready) API(EventCreateWithFlags, &e, cudaEventDisableTiming);

  API(EventRecord, begin, streams[0]);
  for (int s = 0; s < kStreams; ++s) {
    int *host = pinned + s * chunk, *part = device + s * chunk;
    API(MemcpyAsync, part, host, chunk * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    affine<<<8, 64, 0, streams[s]>>>(part, chunk, 3, s);
    API(GetLastError);
    affine<<<8, 64, 0, streams[s]>>>(part, chunk, s + 1, -5);
    API(GetLastError);
    API(EventRecord, ready[s], streams[s]);
  }
  // the first stream goes on when the two others are done
  API(StreamWaitEvent, streams[0], ready[1], 0);
  API(StreamWaitEvent, streams[0], ready[2]);
  int* difference;
  API(MallocAsync, (void**)&difference, chunk * sizeof(int), streams[0]);
  combine<<<(chunk + 127) / 128, 128, 0, streams[0]>>>(device + chunk, device + 2 * chunk, difference, chunk);
  API(GetLastError);
  std::vector<int> got(chunk);
  API(MemcpyAsync, got.data(), difference, chunk * sizeof(int), cudaMemcpyDeviceToHost, streams[0]);
  API(FreeAsync, difference, streams[0]);
  API(MemcpyAsync, pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost, streams[0]);
  Note note = {pinned, -1, 0};
  API(LaunchHostFunc, streams[0], onHost, &note);
  API(EventRecord, end, streams[0]);
  API(EventSynchronize, end);

  for (auto s : streams) {
    API(StreamSynchronize, s);
    API(StreamQuery, s);
  }
  API(EventQuery, end);
  float milliseconds = -1;
  API(EventElapsedTime, &milliseconds, begin, end);
  if (!(milliseconds >= 0 && milliseconds < 600000)) {
    std::printf("streams_events: milliseconds: expected a time, got %g\n", milliseconds);
    return 1;
  }
  auto want = [&](int i) { const int s = i / chunk; return (i % 1000 * 3 + s) * (s + 1) - 5; };
  for (int i = 0; i < n; ++i)
    if (pinned[i] != want(i)) {
      std::printf("streams_events: element %d: expected %d, got %d\n", i, want(i), pinned[i]);
      return 1;
    }
  for (int i = 0; i < chunk; ++i)
    if (got[i] != want(chunk + i) - want(2 * chunk + i)) {
      std::printf("streams_events: difference %d: expected %d, got %d\n", i, want(chunk + i) - want(2 * chunk + i), got[i]);
      return 1;
    }
  if (note.seen != want(7) || note.calls != 1) {
    std::printf("streams_events: host function: expected %d once, got %d, %d times\n", want(7), note.seen, note.calls);
    return 1;
  }
  for (auto& e : ready) API(EventDestroy, e);
  API(EventDestroy, begin);
  API(EventDestroy, end);
  for (auto s : streams) API(StreamDestroy, s);
  API(Free, device);
  API(FreeHost, pinned);
  std::printf("streams_events: ok\n");
  return 0;
}
