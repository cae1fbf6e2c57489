import fs from 'node:fs/promises'
import path from 'node:path'

import type { ProjectSymbol } from '../../../contract/language'
import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { Installation } from '../../installation'
import { describeProject } from '../../project/describe-project'
import { functionsOf, scopeOf } from '../syntax/functions'
import type { CppFunction } from '../syntax/functions'
import { registrationsOf } from '../syntax/registrations'
import { SourceFile } from '../syntax/source-file'
import { childOf, findAll } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'

/** Beyond this a file is generated, and nobody looks for its names. */
const largestFile = 1 << 20
/** More names are not listed. */
const mostSymbols = 3_000

type Found = Omit<ProjectSymbol, 'path'>

function typesOf(source: SourceFile): [SyntaxNode, string][] {
  return findAll(source.root, 'class_specifier', 'struct_specifier', 'enum_specifier').flatMap(
    (node): [SyntaxNode, string][] => {
      const name = source.textOf(childOf(node, 'name'))
      // Without a body it only mentions the type.
      return name === '' || !childOf(node, 'body') ? [] : [[node, scopeOf(source, node) + name]]
    },
  )
}

/** `TORCH_LIBRARY(ops, m) { … }` reads like a function without a type. */
function isMacroCall({ name, returnNode }: CppFunction): boolean {
  return returnNode === undefined && /^[A-Z0-9_]+$/.test(name)
}

/** Functions, types, macros and registered operators of one C++ or CUDA file. */
function symbolsOf(source: SourceFile): Found[] {
  const place = (kind: Found['kind'], name: string, node: SyntaxNode): Found => {
    const { line, column } = source.positionOf(node.start)
    return { name, kind, line, column }
  }
  return [
    ...functionsOf(source)
      .filter((one) => !isMacroCall(one))
      .map(({ name, body, node }) => place(body ? 'function' : 'declaration', name, node)),
    ...typesOf(source).map(([node, name]) => place('type', name, node)),
    ...findAll(source.root, 'preproc_function_def').map((node) =>
      place('macro', source.textOf(childOf(node, 'name')), node),
    ),
    ...registrationsOf(source)
      .filter(({ kind, block }) => kind === 'def' && block === 'library')
      .map(({ namespace, name, nameNode }) => place('operator', `${namespace}::${name}`, nameNode)),
  ].filter(({ name }) => name !== '')
}

/** Functions and classes of the TorchScript program. */
function symbolsOfProgram(text: string): Found[] {
  return text.split('\n').flatMap((content, index): Found[] => {
    const [, blanks = '', word, name] = /^(\s*)(def|class) (\w+)/.exec(content) ?? []
    if (name === undefined) return []
    const kind = word === 'class' ? 'type' : 'function'
    return [{ name, kind, line: index + 1, column: blanks.length + 1 }]
  })
}

/**
 * The names that a project defines, read from its sources alone: clangd knows only the files that are open, and an
 * index of all would cost libtorch's headers once for every source. It keeps what it parsed.
 */
export class ProjectSymbols {
  private readonly known = new Map<string, { text: string; symbols: Found[] }>()

  constructor(private readonly services: { installation: Installation }) {}

  /** @param unsaved texts of open files in place of those on disk, by path below the project */
  async list(
    folder: string,
    unsaved: ReadonlyMap<string, string>,
  ): Promise<Result<ProjectSymbol[]>> {
    const project = await describeProject(folder)
    if (!project.ok) return project
    const all: ProjectSymbol[] = []
    for (const { path: name, role } of project.value.files) {
      if (role !== 'source' && role !== 'header' && role !== 'program') continue
      const file = path.join(folder, name)
      const text = unsaved.get(name) ?? (await fs.readFile(file, 'utf8').catch(() => ''))
      if (text.length > largestFile) continue
      const before = this.known.get(file)
      const symbols = before?.text === text ? before.symbols : await this.read(file, text, role)
      this.known.set(file, { text, symbols })
      all.push(...symbols.map((symbol) => Object.assign({ path: name }, symbol)))
      if (all.length >= mostSymbols) break
    }
    return ok(all.slice(0, mostSymbols))
  }

  private async read(file: string, text: string, role: string): Promise<Found[]> {
    if (role === 'program') return symbolsOfProgram(text)
    return symbolsOf(await SourceFile.parse(this.services.installation.root, file, text))
  }
}
