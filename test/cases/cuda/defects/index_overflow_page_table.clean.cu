#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

// Tables share one row of pages. Finds the slot in which the page of an entry lies, or -1.
__global__ void find_slots(const int* tables, const int* entries, int n, int table_size,
                           int page_size, const int* slot_of_page, int pages, int* slots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long element = 1LL * tables[i] * table_size + entries[i];
  int page = static_cast<int>(element / page_size);
  slots[i] = page >= 0 && page < pages ? slot_of_page[page] : -1;
}

int main() {
  const int n = 500, table_count = 40, table_size = 90000000, page_size = 10000000;
  const int pages = table_count * (table_size / page_size);
  std::vector<int> tables(n), entries(n), slot_of_page(pages), slots(n);
  for (int p = 0; p < pages; ++p)
    slot_of_page[p] = p * 7 % pages;
  for (int i = 0; i < n; ++i) {
    tables[i] = i % table_count;
    entries[i] = i * 170000;
  }
  int *d_tables = nullptr, *d_entries = nullptr, *d_slot_of_page = nullptr, *d_slots = nullptr;
  CHECK(cudaMalloc(&d_tables, n * sizeof(int)));
  CHECK(cudaMalloc(&d_entries, n * sizeof(int)));
  CHECK(cudaMalloc(&d_slot_of_page, pages * sizeof(int)));
  CHECK(cudaMalloc(&d_slots, n * sizeof(int)));
  CHECK(cudaMemcpy(d_tables, tables.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_entries, entries.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(
      cudaMemcpy(d_slot_of_page, slot_of_page.data(), pages * sizeof(int), cudaMemcpyHostToDevice));
  find_slots<<<(n + 255) / 256, 256>>>(d_tables, d_entries, n, table_size, page_size,
                                       d_slot_of_page, pages, d_slots);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(slots.data(), d_slots, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int* pointer : {d_tables, d_entries, d_slot_of_page, d_slots})
    CHECK(cudaFree(pointer));
  for (int i = 0; i < n && !failed; ++i) {
    const long long element = 1LL * tables[i] * table_size + entries[i];
    if (slots[i] != slot_of_page[element / page_size]) {
      std::printf("slot %d is %d\n", i, slots[i]);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
