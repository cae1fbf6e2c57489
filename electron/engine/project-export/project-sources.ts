import fs from 'node:fs'
import path from 'node:path'

import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { placeFunctions, registrationUnit } from '../compile/generated-sources'
import type { SourceText } from '../compile/generated-sources'
import { preludeFor } from '../compile/choose-prelude'
import { includesOf } from '../project/scan-source'
import type { Installation } from '../installation'
import { isCuda, resolveSources } from '../project/sources'
import type { OpenProject } from '../project/open-project'
import { supportFolder, supportInclude } from './exported-sources'
import type { CompiledSource, ExportedSources } from './exported-sources'
import { treeOf } from './file-tree'

const pythonHeaders = /^(torch\/(extension|python)\.h|pybind11\/)/
const torchHeaders = /^(torch|ATen|c10|caffe2)\//
/** For Opsmith's own builds with clang; libtorch's own serves everywhere else. */
const notExported = new Set(['ATen/ParallelOpenMP.h'])

/** Files with what they include, followed through `folders` of what may be taken along. */
function withIncludes(
  start: readonly SourceText[],
  resolve: (include: string, from: SourceText) => SourceText | undefined,
): SourceText[] {
  const found = new Map(start.map((source) => [source.file, source]))
  for (const source of found.values()) {
    for (const include of includesOf(source.text)) {
      const next = resolve(include.name, source)
      // A map may grow while it is gone through: what was added comes up later.
      if (next && !found.has(next.file)) found.set(next.file, next)
    }
  }
  return [...found.values()]
}

function firstFile(candidates: readonly string[], root: string): SourceText | undefined {
  const file = candidates.find((candidate) => fs.existsSync(candidate))
  return file === undefined
    ? undefined
    : { file, relative: path.relative(root, file), text: fs.readFileSync(file, 'utf8') }
}

/** Headers of ours that the sources include, by their names on the include path. */
function supportHeaders(installation: Installation, sources: readonly SourceText[]): SourceText[] {
  const roots = [installation.includeFolder, installation.kernelsInclude]
  const find = (name: string): SourceText | undefined => {
    const root = roots.find((folder) => fs.existsSync(path.join(folder, name)))
    if (root === undefined || notExported.has(name)) return undefined
    return firstFile([path.join(root, name)], root)
  }
  const beside = (name: string, from: SourceText): SourceText | undefined =>
    find(name) ?? find(path.join(path.dirname(from.relative), name))
  const all = withIncludes(sources, beside)
  return all.filter((one) => !sources.includes(one))
}

/** A wrapper that compiles a source together with the binding of its functions, as load_inline does. */
function boundSource(manifest: Manifest, source: string, functions: readonly string[]): string {
  return [
    '// The functions of a source, registered with the dispatcher under their own names.',
    '',
    '#include <torch/extension.h>',
    '',
    `#include "${source}"`,
    '',
    `PYBIND11_MODULE(${manifest.name}, m) {`,
    ...functions.map((name) => `  m.def("${name}", &${name});`),
    '}',
  ].join('\n')
}

/** Sources below src/, include/ and csrc/ stay where they are; others move into csrc/. */
function placementOf(texts: readonly SourceText[]): (relative: string) => string {
  const tidy = texts.every(({ relative }) => /^(src|include|csrc)\//.test(relative))
  return (relative) => {
    const clean = path.posix.normalize(relative)
    if (tidy) return clean
    return clean === '.' ? 'csrc' : `csrc/${clean}`
  }
}

/** What is compiled where, and with which headers; everything is read, nothing is run. */
export async function exportSources(
  installation: Installation,
  project: OpenProject,
): Promise<Result<ExportedSources>> {
  const { folder, manifest } = project
  const resolved = await resolveSources(folder, manifest)
  if (!resolved.ok) return resolved
  const { plain, cuda } = resolved.value
  const conditional = new Set(cuda)
  const sources: SourceText[] = [...plain, ...cuda].map((relative) => {
    const file = path.join(folder, relative)
    return { file, relative, text: fs.readFileSync(file, 'utf8') }
  })
  const placed = placeFunctions(folder, manifest, sources)
  if (!placed.ok) return placed
  const searched = [...manifest.includePaths.map((item) => path.resolve(folder, item)), folder]
  const texts = withIncludes(sources, (name, from) =>
    firstFile(
      [path.dirname(from.file), ...searched].map((one) => path.resolve(one, name)),
      folder,
    ),
  )
  const outside = texts.find(
    ({ relative }) => relative.startsWith('..') || path.isAbsolute(relative),
  )
  if (outside) {
    return err(
      'project.invalid',
      `${outside.file} is outside the project. An export contains only files of the project.`,
      {
        hint: 'Move the file into the project, or use a package in "pkgConfig" that contains the file.',
      },
    )
  }
  const place = placementOf(texts)
  const includesTorch = (source: SourceText): boolean =>
    withIncludes([source], (name, from) =>
      texts.find((one) =>
        [path.dirname(from.file), ...searched].some(
          (base) => path.resolve(base, name) === one.file,
        ),
      ),
    ).some(({ text }) => includesOf(text).some(({ name }) => torchHeaders.test(name)))

  const generated: Record<string, string> = {}
  const compiled = sources.map((source): CompiledSource => {
    const functions = placed.value.get(source.file)
    const where = place(source.relative)
    if (!functions) {
      return {
        path: where,
        cuda: isCuda(where),
        torch: includesTorch(source),
        conditional: conditional.has(source.relative),
      }
    }
    const name = `${path.posix.dirname(where)}/bind_${path.posix.basename(where)}`
    generated[name] = boundSource(manifest, path.posix.basename(where), functions)
    return { path: name, cuda: false, torch: true, conditional: conditional.has(source.relative) }
  })
  const registration = registrationUnit(manifest, sources, project.entryLines('autograd'))
  const registered: SourceText[] = []
  if (registration !== '') {
    // Linked last, and last in the order of names too, in which setuptools compiles.
    const name = `${supportFolder}/registration.cpp`
    const head =
      '// Parameter names and differentiable operators, as opsmith.json declares them.\n\n'
    generated[name] = head + registration
    if (manifest.autograd.length > 0) {
      compiled.push({
        path: `${supportFolder}/autograd.cpp`,
        cuda: false,
        torch: true,
        conditional: false,
      })
      const file = path.join(installation.includeFolder, 'opsmith/autograd.cpp')
      const found = firstFile([file], installation.includeFolder)
      if (found) registered.push(found)
    }
    compiled.push({ path: name, cuda: false, torch: false, conditional: false })
    registered.push({ file: name, relative: name, text: registration })
  }
  const bound: SourceText[] =
    placed.value.size > 0
      ? [{ file: 'bound', relative: 'bound', text: '#include <torch/extension.h>' }]
      : []
  const headers = supportHeaders(installation, [...texts, ...registered, ...bound])
  const usesSupport = headers.length > 0 || registration !== ''
  const files = treeOf({
    ...Object.fromEntries(texts.map(({ relative, text }) => [place(relative), Buffer.from(text)])),
    ...generated,
    ...Object.fromEntries(
      headers.map(({ relative, text }) => [`${supportInclude}/${relative}`, Buffer.from(text)]),
    ),
  })
  for (const { file, relative, text } of registered) {
    if (path.isAbsolute(file)) {
      files.set(`${supportFolder}/${path.posix.basename(relative)}`, Buffer.from(text))
    }
  }
  if (usesSupport) {
    const licence = path.join(installation.root, 'LICENSE')
    if (fs.existsSync(licence)) files.set(`${supportFolder}/LICENSE`, fs.readFileSync(licence))
  }
  const withPython = sources.filter(
    (source) =>
      placed.value.has(source.file) ||
      includesOf(source.text).some(({ name }) => pythonHeaders.test(name)),
  )
  const lean =
    withPython.length > 0 &&
    withPython.every(
      (source) => preludeFor([source.text], placed.value.has(source.file)) === 'extension',
    )
  const all = texts.map(({ text }) => text).join('\n')
  return ok({
    compiled,
    files,
    includeFolders: [
      ...(usesSupport ? [supportInclude] : []),
      ...new Set([...manifest.includePaths, '.'].map(place)),
    ],
    definitions: [
      ...(/\bTORCH_EXTENSION_NAME\b/.test(all) ? [`TORCH_EXTENSION_NAME=${manifest.name}`] : []),
      // Parts of the C++ frontend that these sources do not use take seconds to compile.
      ...(lean ? ['OPSMITH_LEAN_EXTENSION'] : []),
    ],
    usesSupport,
    includesSupport: supportHeaders(installation, [...texts, ...bound]).length > 0,
    parallel: /\bparallel_(for|reduce)\b/.test(all),
    texts,
  })
}
