import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { keepBatches, makeBatches } from '../../electron/engine/setup/native-batches'
import { root } from '../support/installation'

interface Entry {
  directory: string
  file: string
  command: string
}

interface Tidy {
  sourcesOf(entries: Entry[], folder: string): Entry[]
  tidySources(options: {
    tool: string
    entries: Entry[]
    work: string
    cwd: string
    parallel: number
    onGood: (entry: Entry) => void
  }): Promise<string>
}

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-batches-'))
})
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
  return file
}

async function script<Module>(name: string): Promise<Module> {
  return (await import(path.join(root, 'scripts', name))) as Module
}

describe('batches of sources that are compiled as one', () => {
  const own = (code: string): string => `namespace {\n${code}\n}  // namespace\n`

  it('sources with local declarations of the same name are in different batches', () => {
    const files = [
      write('a.cpp', own('std::string text_of(int value) {\n    return {};\n}')),
      write('b.cpp', own('struct Other {};\n\nvoid text_of(double) {}')),
      write('c.cpp', own('constexpr int limit = 3;')),
      write('d.cpp', own('enum class limit { low };')),
      write('e.cpp', '#define Other 1\n'),
    ]
    const batches = makeBatches(files, 1)
    expect(batches.flat().sort()).toEqual(files)
    const together = (one: number, other: number): boolean =>
      batches.some(
        (batch) => batch.includes(files[one] ?? '') && batch.includes(files[other] ?? ''),
      )
    expect(together(0, 1)).toBe(false)
    expect(together(2, 3)).toBe(false)
    expect(together(1, 4)).toBe(false)
    expect(batches.length).toBe(2)
  })

  it('sources that clash with several others do not cost a batch more', () => {
    const long = `// ${'longer '.repeat(100)}`
    const files = [
      write('m.cpp', own(`int first = 1;\n${long}`)),
      write('n.cpp', own('int first = 2;\nint second = 2;')),
      write('o.cpp', own('int second = 3;\nint third = 3;')),
      write('p.cpp', own(`int third = 4;\n${long}`)),
    ]
    expect(makeBatches(files, 1)).toEqual([
      [files[1], files[3]],
      [files[0], files[2]],
    ])
  })

  it("a source whose local name is in another's header is in a different batch", () => {
    write(
      'native/runtime/words.h',
      '#pragma once\nnamespace n {\nstd::string joined(int words);\n}\n',
    )
    write('native/runtime/more.h', '#include "runtime/words.h"\n')
    const files = [
      write('native/runtime/deep/n.cpp', own('std::string joined(int names) {\n    return {};\n}')),
      write('native/runtime/deep/o.cpp', '#include "runtime/more.h"\n'),
      write('native/runtime/deep/p.cpp', ''),
    ]
    const batches = makeBatches(files, 1)
    expect(batches).toHaveLength(2)
    expect(
      batches.some((batch) => batch.includes(files[0] ?? '') && batch.includes(files[1] ?? '')),
    ).toBe(false)
  })

  it('enumerations of other names do not keep sources apart', () => {
    write('native/runtime/ways.h', '#pragma once\nenum class Way { up, down };\n')
    const files = [
      write('native/runtime/q.cpp', own('enum class Reached { few, many };')),
      write('native/runtime/r.cpp', `#include "runtime/ways.h"\n${own('enum class Kind { a };')}`),
    ]
    expect(makeBatches(files, 1)).toEqual([files])
  })

  it('sources may share an alias only where it is the same', () => {
    const files = [
      write('f.cpp', own('using Stack = std::vector<int>;\nnamespace jit = torch::jit;')),
      write('g.cpp', own('using Stack = std::vector<int>;\nnamespace jit = torch::jit;')),
      write('h.cpp', own('using Stack = std::deque<int>;')),
    ]
    expect(makeBatches(files, 1)).toEqual([[files[2]], [files[0], files[1]]])
  })

  it('an edited source stays in its batch unless it adds a name that exists there', () => {
    const files = ['i', 'j', 'k', 'l'].map((name) => write(`${name}.cpp`, own(`int ${name}_ = 0;`)))
    const first = keepBatches(undefined, [files], [2])
    expect(first.map((batch) => batch.length)).toEqual([2, 2])
    write('i.cpp', own(`int i_ = 0;\n// ${'longer '.repeat(100)}`))
    expect(keepBatches(first, [files], [2])).toBe(first)
    const [one = '', other = ''] = first[0] ?? []
    fs.copyFileSync(one, other)
    const again = keepBatches(first, [files], [2])
    expect(again.some((batch) => batch.includes(one) && batch.includes(other))).toBe(false)
    expect(keepBatches(first, [[...files, write('m.cpp', '')]], [2]).flat()).toHaveLength(5)
  })
})

/** One mistake for each check of .clang-tidy that a few lines can make, by the check's name. */
const mistakes: Record<string, string> = {
  'bugprone-use-after-move':
    'inline std::size_t NAME() {\n  std::string a = "x";\n  std::string b = std::move(a);\n  return a.size() + b.size();\n}',
  'bugprone-infinite-loop':
    'inline void NAME(int j) {\n  int i = 0;\n  while (i < 10) {\n    j++;\n  }\n}',
  'bugprone-sizeof-expression':
    'inline std::size_t NAME(char* p) {\n  return sizeof(sizeof(*p));\n}',
  'bugprone-string-constructor': `inline std::string NAME() {\n  return std::string('x', 50);\n}`,
  'bugprone-unused-return-value': 'inline void NAME(std::unique_ptr<int>& p) {\n  p.release();\n}',
  'bugprone-exception-escape': 'inline void NAME() noexcept {\n  throw 1;\n}',
  'bugprone-optional-value-conversion':
    'inline void NAME##_take(std::optional<int>) {}\ninline void NAME(std::optional<int> o) {\n  NAME##_take(*o);\n}',
  'cppcoreguidelines-slicing':
    'struct NAME##_base {\n  int a;\n};\nstruct NAME##_derived : NAME##_base {\n  int b;\n};\ninline void NAME(const NAME##_derived& d) {\n  NAME##_base b = d;\n  (void)b;\n}',
  'google-explicit-constructor': 'struct NAME {\n  NAME(int) {}\n};',
  'google-build-using-namespace': 'namespace NAME {}\nusing namespace NAME;',
  'modernize-use-override':
    'struct NAME##_base {\n  virtual void f() {}\n};\nstruct NAME : NAME##_base {\n  virtual void f() {}\n};',
  'performance-for-range-copy':
    'inline std::size_t NAME(const std::vector<std::string>& l) {\n  std::size_t n = 0;\n  for (auto s : l) n += s.size();\n  return n;\n}',
  'performance-move-const-arg': 'inline int NAME(int i) {\n  return std::move(i);\n}',
  'performance-no-automatic-move':
    'inline std::optional<std::string> NAME() {\n  const std::string s = "x";\n  return s;\n}',
  'readability-redundant-smartptr-get':
    'inline int NAME(std::unique_ptr<int>& p) {\n  return *p.get();\n}',
  'readability-misleading-indentation':
    'inline int NAME(bool a, int b) {\n  if (a)\n    b++;\n    b++;\n  return b;\n}',
}

/** "file:line check", of clang-tidy's output. */
function findings(text: string): string[] {
  const found = text.matchAll(/\/([\w.]+):(\d+):\d+: error: .* \[([\w-]+)[,\]]/g)
  return Array.from(
    found,
    ([, file = '', line = '', check = '']) => `${file}:${line} ${check}`,
  ).sort()
}

const tool = ['clang-tidy-19', 'clang-tidy'].find((name) => {
  try {
    return / 19\./.test(execFileSync(name, ['--version'], { encoding: 'utf8' }))
  } catch {
    return false
  }
})

describe.skipIf(!tool)('clang-tidy over several sources', () => {
  it('each mistake in sources and headers is found at the same line as alone', async () => {
    const { tidySources } = await script<Tidy>('checks/clang-tidy.mjs')
    const includes = ['memory', 'optional', 'string', 'utility', 'vector']
    const start = includes.map((name) => `#include <${name}>\n`).join('')
    const body = (suffix: string): string =>
      Object.entries(mistakes)
        .map(([check, code]) =>
          code.replace(/NAME(##)?/g, `${check.replaceAll('-', '_')}_${suffix}`),
        )
        .join('\n\n')
    write('native/runtime/planted.h', `#pragma once\n${start}\n${body('header')}\n`)
    const sources = ['one', 'two'].map((name) =>
      write(
        `native/runtime/${name}.cpp`,
        `#include "planted.h"\n// ${name}\n${'\n'.repeat(name.length * 2)}namespace {\n${body(name)}\n}  // namespace\n`,
      ),
    )
    fs.copyFileSync(path.join(root, '.clang-tidy'), path.join(folder, '.clang-tidy'))
    const entries = sources.map((file) => ({
      directory: folder,
      file,
      command: `clang++ -std=c++20 -O1 -o ${path.basename(file)}.o -c ${file}`,
    }))
    const good: string[] = []
    const look = async (some: Entry[]): Promise<string[]> =>
      findings(
        await tidySources({
          tool: tool ?? '',
          entries: some,
          work: path.join(folder, 'work'),
          cwd: folder,
          parallel: 1,
          onGood: (entry) => good.push(entry.file),
        }),
      )
    const together = await look(entries)
    const alone = new Set<string>()
    for (const entry of entries) for (const finding of await look([entry])) alone.add(finding)
    expect([...new Set(together)].sort()).toEqual([...alone].sort())
    for (const check of Object.keys(mistakes)) {
      const places = together.filter((one) => one.endsWith(` ${check}`))
      for (const file of ['planted.h:', 'one.cpp:', 'two.cpp:'])
        expect(
          places.some((one) => one.startsWith(file)),
          `${check} in ${file}`,
        ).toBe(true)
    }
    expect(good).toEqual([])
  })

  it('sources that do not go together are checked one by one', async () => {
    const { tidySources } = await script<Tidy>('checks/clang-tidy.mjs')
    fs.copyFileSync(path.join(root, '.clang-tidy'), path.join(folder, '.clang-tidy'))
    // A name that no scan for anonymous namespaces sees.
    const sources = ['three', 'four'].map((name) =>
      write(
        `native/runtime/${name}.cpp`,
        'static int twice() { return 1; }\nint use_it() { return twice(); }\n',
      ),
    )
    const good: string[] = []
    const entries = sources.map((file) => ({
      directory: folder,
      file,
      command: `clang++ -std=c++20 -c ${file}`,
    }))
    const work = path.join(folder, 'work')
    const onGood = (entry: Entry): void => {
      good.push(entry.file)
    }
    const text = await tidySources({
      tool: tool ?? '',
      entries,
      work,
      cwd: folder,
      parallel: 2,
      onGood,
    })
    expect(text).toBe('')
    expect(good.sort()).toEqual(sources.sort())
  })

  it('the batched sources of a build are recognized', async () => {
    const { sourcesOf } = await script<Tidy>('checks/clang-tidy.mjs')
    const native = path.join(folder, 'native')
    const unity = write(
      'build/unity_batch_0.cxx',
      `#include "${native}/a.cpp"\n#include "${native}/b.cpp"\n`,
    )
    const command = `clang++ -O1 -o x.o -c ${unity}`
    const entries = [
      { directory: folder, file: unity, command },
      { directory: folder, file: 'native/c.cpp', command: 'clang++ -c native/c.cpp' },
      { directory: folder, file: 'build/cmake_pch.hxx.cxx', command: 'clang++ -c x' },
    ]
    expect(sourcesOf(entries, native).map((entry) => [entry.file, entry.command])).toEqual([
      [`${native}/a.cpp`, `clang++ -O1 -o x.o -c ${native}/a.cpp`],
      [`${native}/b.cpp`, `clang++ -O1 -o x.o -c ${native}/b.cpp`],
      [`${native}/c.cpp`, 'clang++ -c native/c.cpp'],
    ])
  })
})
