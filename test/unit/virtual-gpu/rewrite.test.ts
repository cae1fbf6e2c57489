import { describe, expect, it } from 'vitest'

import { rewriteCuda } from '../../../electron/engine/compile/virtual-gpu/rewrite'
import type { PlaceAliases } from '../../../electron/engine/compile/virtual-gpu/rewrite'

const rewritten = (source: string): string => rewriteCuda(source, 'id', () => undefined).text
const lineCount = (text: string): number => text.split('\n').length

describe('launches', () => {
  it.each([
    ['k<<<1, 2>>>(p);', '(1, 2), "k", k)(p);'],
    ['ns::k<T, 3><<<g, b, 0, s>>>(p);', '(g, b, 0, s), "ns::k<T, 3>", ns::k<T, 3>)(p);'],
    ['::k<<<1, 1>>>();', '(1, 1), "::k", ::k)();'],
    ['k<P<int, Q<int>>><<<1, n >> 1>>>(p);', '"k<P<int, Q<int>>>", k<P<int, Q<int>>>)(p);'],
    ['table[i]<<<1, 1>>>(p);', '"table[i]", table[i])(p);'],
    ['ops->run<<<1, 1>>>(p);', '"ops->run", ops->run)(p);'],
    ['(*k)<<<1, 1>>>(p);', '"(*k)", (*k))(p);'],
    ['return k<<<1, 1>>>(p), 0;', 'return OPSMITH_LAUNCH'],
    ['name##_float<<<1, 1>>>(p);', '"name##_float", name##_float)(p);'],
  ])('%s', (source, expected) => {
    expect(rewritten(`void f() { ${source} }`)).toContain(expected)
  })

  it('stay as they are in comments and texts', () => {
    const source =
      '// k<<<1, 1>>>(p);\n/* k<<<1, 1>>>() */ const char* t = "k<<<1, 1>>>(p)"; auto r = R"(k<<<1,1>>>())";\n'
    expect(rewritten(source)).toBe(source)
  })

  it('over several lines, with comments, keep the number of lines', () => {
    const source = 'void f() {\n  k\n  <<<\n    1, // blocks\n    2\n  >>>(p);\n  int after;\n}\n'
    const text = rewritten(source)
    expect(lineCount(text)).toBe(lineCount(source))
    expect(text.split('\n')[6]).toBe('  int after;')
  })

  it.each(['\n', '\r\n'])('in a macro over several lines leave no backslash within (%j)', (end) => {
    const source = `#define RUN(p) \\${end}  k##_int \\${end}  <<<1, \\${end}  2>>>(p)${end}int after;${end}`
    const text = rewritten(source)
    expect(lineCount(text)).toBe(lineCount(source))
    expect(text.split('\n')[1]).toMatch(/^ {2}OPSMITH_LAUNCH\([^\\]*\)\\$/)
    expect(text.split('\n')[4]).toBe(`int after;${end.replace('\n', '')}`)
  })

  it('within a kernel are refused', () => {
    expect(rewritten('__global__ void a() { b<<<1, 1>>>(); }')).toContain('launch_from_kernel();')
    expect(rewritten('__host__ __device__ void a() { b<<<1, 1>>>(); }')).toContain('OPSMITH_LAUNCH')
  })
})

describe('shared memory', () => {
  it('is a reference into the memory of the block', () => {
    const text = rewritten('__global__ void k() { __shared__ float a[4][N], b; }')
    expect(text).toContain('struct opsmith_shared_id_1_t {  float a[4][N], b; };')
    expect(text).toContain('auto& a = opsmith_shared_id_1.a; auto& b = opsmith_shared_id_1.b;')
    expect(text).not.toContain('__shared__')
  })

  it('of a size that the launch says is a pointer', () => {
    const text = rewritten(
      '__global__ void k() { extern __shared__ int a[]; extern __shared__ T b[][8]; }',
    )
    expect(text).toContain('auto* a = static_cast<int*>(::opsmith::gpu::dynamic_shared());')
    expect(text).toContain('T (*b)[8] = reinterpret_cast<T (*)[8]>')
  })

  it('at file scope is found where it is used', () => {
    expect(rewritten('extern __shared__ float4 pool[];')).toContain('DynamicShared<float4> pool{};')
    expect(rewritten('__shared__ int lone;')).toContain('SharedMember<')
  })

  it('in a macro names nothing that a second use would name again', () => {
    const text = rewritten('#define TILE(T, name) __shared__ T name[8][8]\nint after;\n')
    expect(text).toBe(
      '#define TILE(T, name) auto& name = ::opsmith::gpu::shared_of_macro<T[8][8], decltype([] {})>();\nint after;\n',
    )
  })

  it('over several lines keeps the number of lines', () => {
    const source =
      '__global__ void k() {\n  volatile __shared__ int a[\n    32];\n  int after;\n}\n'
    expect(rewritten(source).split('\n')[3]).toBe('  int after;')
  })
})

describe('variables of the device', () => {
  it.each([
    ['__device__ int count;', '{&count, sizeof(count), "count", "__device__"};'],
    ['__constant__ float table[4] = {1, 2};', '"table", "__constant__"};'],
    ['static __device__ op_t f = add;', '"f", "__device__"};'],
    ['__device__ __managed__ int m = 1;', '"m", "__device__"};'],
    ['namespace a { __constant__ T t; }', '"t", "__constant__"};'],
  ])('%s is told to the runtime', (source, expected) => {
    expect(rewritten(source)).toContain(expected)
  })

  it.each([
    '__device__ float add(float a, float b) { return a + b; }',
    'extern __device__ int count;',
    'struct S { __device__ S() {} int a; };',
    'auto f = [=] __device__ (int i) { };',
  ])('%s is none', (source) => {
    expect(rewritten(source)).not.toContain('DeviceVariable')
  })
})

describe('functions of host and device', () => {
  it('whose code differs exist twice, and lines stay', () => {
    const source =
      '__host__ __device__ int side() {\n#ifdef __CUDA_ARCH__\n  return 1;\n#else\n  return 0;\n#endif\n}\nint after;\n'
    const text = rewritten(source)
    expect(text).toContain('if (::opsmith::gpu::in_kernel()) {\n#ifdef OPSMITH_CUDA_ARCH\n')
    expect(text).toContain('else\n#line 1\n{\n#ifdef OPSMITH_CUDA_ARCH_OF_HOST\n')
    expect(text).toContain('\n#line 7\n}\nint after;')
  })
})

describe('words of the program for where a function runs', () => {
  const body = '{\n#ifdef __CUDA_ARCH__\n  return 1;\n#endif\n  return 0;\n}\n'

  it('mean what their macro says, also one of another source', () => {
    const aliases: PlaceAliases = new Map()
    const header =
      '#define BOTH __host__ __device__\n#define HD BOTH inline\n#define DEV __device__\n'
    rewriteCuda(header, 'header', () => undefined, aliases)
    const text = (source: string): string =>
      rewriteCuda(source, 'id', () => undefined, aliases).text
    expect(text(`HD int side() ${body}`)).toContain('in_kernel()')
    expect(text(`DEV int side() ${body}`)).not.toContain('in_kernel()')
    expect(text('DEV void f(volatile int *s) { s[0] = s[1]; }')).toContain('in_step(s)')
  })

  it('that are not known leave both', () => {
    expect(rewritten(`UNKNOWN int side() ${body}`)).toContain('in_kernel()')
    expect(rewritten(`__device__ int side() ${body}`)).not.toContain('in_kernel()')
  })
})

describe('includes', () => {
  const include = (name: string, quoted: boolean): string | undefined =>
    name === 'kernel.cu' ? `/copies/${quoted ? 'q' : 'a'}-kernel.cu` : undefined

  it('of the project become their copies', () => {
    const source = '#include "kernel.cu"\n#  include <kernel.cu> // again\n#include <stdio.h>\n'
    expect(rewriteCuda(source, 'id', include).text).toBe(
      '#include "/copies/q-kernel.cu"\n#  include "/copies/a-kernel.cu" // again\n#include <stdio.h>\n',
    )
  })
})

describe('lanes in step', () => {
  const kernel = (body: string): string =>
    rewritten(`__device__ void f(volatile int *s, int t, int *g) { ${body} }`)
  const marked = (value: string): string =>
    `(::opsmith::gpu::in_step(s), ::opsmith::gpu::read_in_step(s, ${value}))`

  it('wait before, between and after', () => {
    expect(kernel('s[t] += s[t + 32];')).toContain(
      `s[t] += ${marked('s[t + 32]')}, ::opsmith::gpu::in_step(s);`,
    )
    expect(kernel('if (t < 8) s[t] = v = v + s[t + 8]; else g[t] = 0;')).toContain(
      `if (t < 8) s[t] = ${marked('v = v + s[t + 8]')}, ::opsmith::gpu::in_step(s); else g[t] = 0;`,
    )
  })

  it('wait where they only read', () => {
    expect(kernel('int v = s[0];')).toContain(`int v = ${marked('s[0]')};`)
    expect(kernel('if (t == 0) g[0] = s[0];')).toContain(`g[0] = ${marked('s[0]')};`)
    expect(rewritten('__device__ int f(volatile int *s) { return s[0]; }')).toContain(
      `return ${marked('s[0]')};`,
    )
  })

  it.each(['for (int i = s[0]; i < 3; i = i + 1) { }', 'volatile int *p = s;', 'g[t] <= 3;'])(
    '%s is as it was',
    (source) => {
      expect(kernel(source)).toContain(source)
    },
  )

  it('goes for plain shared memory, where no barrier follows', () => {
    const plain = (body: string): string => rewritten(`__global__ void k() { ${body} }`)
    expect(plain('a[t] += a[t + 16]; a[t] += a[t + 8];')).toContain('in_step(a)')
    const withBarriers = 'if (t < n) { a[t] += a[t + n]; } __syncthreads(); a[t] *= a[t];'
    expect(plain(withBarriers)).toContain(withBarriers)
  })

  it('goes for the statements of a macro', () => {
    expect(rewritten('#define STEP(k) s[t] += s[t + k]; // again\nint after;\n')).toBe(
      `#define STEP(k) s[t] += ${marked('s[t + k]')}, ::opsmith::gpu::in_step(s); // again\nint after;\n`,
    )
    expect(rewritten('#define STEP(k) s[t] += s[t + k] // again\n')).toBe(
      `#define STEP(k) s[t] += ${marked('s[t + k]')}, ::opsmith::gpu::in_step(s) // again\n`,
    )
  })

  it('means nothing on the host', () => {
    const host = 'void f(volatile int *s) { s[0] += s[1]; }'
    expect(rewritten(host)).toBe(host)
  })
})

describe('the read before a loop of atomicCAS', () => {
  it('counts as atomic', () => {
    const text = rewritten(
      '__device__ double add(double *a) { ull *p = (ull *)a, old = *p, seen; do { old = atomicCAS(p, seen, 1); } while (1); }',
    )
    expect(text).toContain('old = ::opsmith::gpu::read_for_swap(p), seen;')
  })
})

describe('an index that is computed as unsigned', () => {
  const inKernel = (statement: string): string => rewritten(`__global__ void k() { ${statement} }`)

  it.each([
    [
      'int i = blockIdx.x * blockDim.x + threadIdx.x;',
      'int i = OPSMITH_INDEX(int, blockIdx.x * blockDim.x + threadIdx.x, ::opsmith::gpu::wide(blockIdx.x) * ::opsmith::gpu::wide(blockDim.x) + ::opsmith::gpu::wide(threadIdx.x));',
    ],
    [
      'for (const std::size_t i = blockIdx.x * width; i < n;) {}',
      'OPSMITH_INDEX(std :: size_t, blockIdx.x * width, ::opsmith::gpu::wide(blockIdx.x) * ::opsmith::gpu::wide(width))',
    ],
    [
      'int a = 0, b = 1; long i = threadIdx.x * (p->n - 1), j = 2;',
      '* (::opsmith::gpu::wide(p->n) - 1)), j = 2;',
    ],
    ['int i = hash % n + threadIdx.x * 2;', 'hash % n + ::opsmith::gpu::wide(threadIdx.x) * 2)'],
  ])('is compared with the exact one: %s', (statement, expected) => {
    expect(inKernel(statement)).toContain(expected)
  })

  it.each([
    'unsigned h = threadIdx.x * 2654435761u;',
    'unsigned int h = threadIdx.x * 7;',
    'int h = threadIdx.x * 2654435761;',
    'int h = (threadIdx.x * 31) ^ seed;',
    'int i = next() * threadIdx.x;',
    'int i = (threadIdx.x * 4 - 1) / 2;',
    'int i = table[threadIdx.x] * threadIdx.x;',
    'int i = threadIdx.x;',
    'float f = threadIdx.x * 2;',
    'i = threadIdx.x * n;',
  ])('stays as it is where it may be meant so: %s', (statement) => {
    expect(inKernel(statement)).toContain(statement)
  })
})

describe('an address of a vector', () => {
  it.each([
    [
      'q = reinterpret_cast<const float4*>(row)[v];',
      'dereferenced(reinterpret_cast<const float4*>(row))[v];',
    ],
    [
      '*reinterpret_cast<float4*>(&y[i]) = q;',
      '*::opsmith::gpu::dereferenced(reinterpret_cast<float4*>(&y[i])) = q;',
    ],
    ['q = ((const float4*)x)[i];', 'q = ::opsmith::gpu::dereferenced(((const float4*)x))[i];'],
    ['q = *((int2 *)x);', 'q = *::opsmith::gpu::dereferenced(((int2 *)x));'],
    ['q = *(float4*)&x[i];', 'q = *::opsmith::gpu::dereferenced((float4*)&x[i]);'],
  ])('is checked where it is used: %s', (statement, expected) => {
    expect(rewritten(`__global__ void k() { ${statement} }`)).toContain(expected)
  })

  it.each([
    'const float4* p = reinterpret_cast<const float4*>(row);',
    'load(reinterpret_cast<const float4*>(row), q);',
    'n = count * reinterpret_cast<std::size_t>(row);',
    'f((float4*)x);',
    'area = width * (float2*)x[i].y;',
  ])('that is not used there stays as it is: %s', (statement) => {
    expect(rewritten(`__global__ void k() { ${statement} }`)).toContain(statement)
  })

  it('in a macro is checked, too', () => {
    expect(rewritten('#define FETCH4(p) (reinterpret_cast<float4*>(&(p))[0])\n')).toBe(
      '#define FETCH4(p) (::opsmith::gpu::dereferenced(reinterpret_cast<float4*>(&(p)))[0])\n',
    )
  })
})

describe('a local variable without a value', () => {
  const body = (text: string): string => rewritten(`__global__ void k(int n) { ${text} }`)

  it.each([
    ['int a[8];', 'int OPSMITH_ARRAY(a)[8]; OPSMITH_LOCAL_ARRAY(a);'],
    [
      'if (n) { unsigned char a[2][N], b; }',
      '{ unsigned char OPSMITH_ARRAY(a)[2][N], b; OPSMITH_LOCAL_ARRAY(a); }',
    ],
    ['float sum; for (;;) sum += n;', 'float sum; OPSMITH_LOCAL(sum); for'],
    ['switch (n) { case 1: { int a[8]; } }', '{ int OPSMITH_ARRAY(a)[8]; OPSMITH_LOCAL_ARRAY(a);'],
    ['struct node node[4];', 'struct node OPSMITH_ARRAY(node)[4]; OPSMITH_LOCAL_ARRAY(node);'],
    ['\n#pragma unroll\nfloat a[4];', 'float OPSMITH_ARRAY(a)[4]; OPSMITH_LOCAL_ARRAY(a);'],
  ])('is marked: %s', (text, expected) => {
    expect(body(text)).toContain(expected)
  })

  it.each([
    ['that has a value', 'int a[8] = {}; float sum = 0; sum += n;'],
    ['that is assigned first', 'int i; for (i = 0; i < n; i++) {}'],
    ['that is handed to a function only', 'float v; if (n) v = 1; v = reduce(v, n);'],
    ['that is volatile', 'volatile float p[2];'],
    ['that is a member of a type', 'union { uint4 v; char b[16]; int f() { char c[2]; } } u;'],
    ['whose type is asked', 'int a[8]; using T = decltype(a);'],
    ['that is none', 'return a[8]; static int b[2]; extern int c[]; using U = int[3];'],
    ['that a case jumps over', 'switch (int k = n; k) { int a[8]; case 1: break; }'],
    ['of a function with goto', 'goto end; int a[8]; end: return;'],
  ])('is not marked, if it is one %s', (_, text) => {
    expect(body(text)).not.toContain('OPSMITH_LOCAL')
  })

  it('of the host is not marked', () => {
    expect(rewritten('int main() { int a[8]; }')).toBe('int main() { int a[8]; }')
  })
})
