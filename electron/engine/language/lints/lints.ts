import fs from 'node:fs/promises'
import path from 'node:path'

import type { Diagnostic } from '../../../contract/diagnostics'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { Installation } from '../../installation'
import { writeAtomically } from '../../project/files'
import type { OpenProject, ProjectOrFolder, Projects } from '../../project/open-project'
import { SourceFile } from '../syntax/source-file'
import { applyFixes } from './apply-fixes'
import { gradientFunction } from './gradient-function'
import type { GradientFunction } from './gradient-function'
import { LintedSources } from './project-sources'
import type { PlacedEntry } from './project-sources'
import { runLints } from './run-lints'
import { manifestFileOf } from '../../project/manifest-place'

/** Beyond this a file is generated, and nobody edits it by hand. */
const largestFile = 1 << 20
/** A fix may uncover another finding; a few rounds are enough for all there are. */
const fixRounds = 10

/** An answer like any other: a bug of the lints, or their parser missing, must cost no build. */
function withoutParser(error: unknown): Result<never> {
  return err(
    'internal',
    'The lints failed: their parser is missing, or there is a bug in Opsmith.',
    {
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
      hint: 'If the parser is missing, install Opsmith again (in a clone of the repository: npm ci). Otherwise report the bug.',
    },
  )
}

/** Lints projects; keeps what it parsed, so that after an edit one file is parsed again. */
export class Lints {
  private readonly parsed = new Map<string, SourceFile>()

  constructor(private readonly services: { installation: Installation; projects: Projects }) {}

  /**
   * @param unsaved texts of open files instead of those on disk, by absolute path
   * @returns an error where opsmith.json cannot be read or the parser's files are missing
   */
  async lint(
    projectOrFolder: ProjectOrFolder,
    unsaved: ReadonlyMap<string, string> = new Map(),
  ): Promise<Result<Diagnostic[]>> {
    const project = await this.services.projects.open(projectOrFolder)
    if (!project.ok) return project
    const { manifest } = project.value
    try {
      const { files, options } = await this.parse(project.value, unsaved)
      const off = Object.keys(manifest.lints).filter((code) => manifest.lints[code] === false)
      return ok(runLints(files, { ...options, off }))
    } catch (error) {
      return withoutParser(error)
    }
  }

  /**
   * The functions that make the gradients of operators, by the operators' names; an operator whose function is not
   * found is left out.
   */
  async gradientFunctions(
    projectOrFolder: ProjectOrFolder,
    operators: readonly string[],
  ): Promise<Result<GradientFunction[]>> {
    const project = await this.services.projects.open(projectOrFolder)
    if (!project.ok) return project
    try {
      const { files, options } = await this.parse(project.value, new Map())
      const sources = new LintedSources(files, options.exposed, options.entries)
      return ok(operators.flatMap((operator) => gradientFunction(sources, operator) ?? []))
    } catch (error) {
      return withoutParser(error)
    }
  }

  private async parse(
    project: OpenProject,
    unsaved: ReadonlyMap<string, string>,
  ): Promise<{ files: SourceFile[]; options: { exposed: string[]; entries: PlacedEntry[] } }> {
    const { folder, manifest } = project
    const files: SourceFile[] = []
    for (const { path: relative, role } of await project.files()) {
      if (role !== 'source' && role !== 'header') continue
      const source = await this.read(path.resolve(folder, relative), unsaved)
      if (source) files.push(source)
    }
    const lines = manifest.autograd.length === 0 ? [] : project.entryLines('autograd')
    const file = manifestFileOf(folder)
    const entries = manifest.autograd.map((entry, index) => ({
      ...entry,
      file,
      line: lines[index] ?? 1,
    }))
    return { files, options: { exposed: manifest.functions, entries } }
  }

  /** Applies every fix there is, on disk; what is left comes back, and which files changed. */
  async fix(folder: string): Promise<Result<{ left: Diagnostic[]; changed: string[] }>> {
    const changed = new Set<string>()
    for (let round = 0; ; round += 1) {
      const found = await this.lint(folder)
      if (!found.ok) return found
      const texts = new Map<string, string>()
      for (const { fixes } of found.value) {
        for (const { file } of fixes?.[0]?.edits ?? []) {
          const text = this.parsed.get(file)?.text
          if (text !== undefined) texts.set(file, text)
        }
      }
      const mended = round < fixRounds ? applyFixes(found.value, texts) : new Map<string, string>()
      if (mended.size === 0) return ok({ left: found.value, changed: [...changed] })
      for (const [file, text] of mended) {
        await writeAtomically(file, text)
        changed.add(file)
      }
    }
  }

  private async read(
    file: string,
    unsaved: ReadonlyMap<string, string>,
  ): Promise<SourceFile | undefined> {
    const text = unsaved.get(file) ?? (await fs.readFile(file, 'utf8').catch(() => undefined))
    if (text === undefined || text.length > largestFile) {
      this.parsed.delete(file)
      return undefined
    }
    const known = this.parsed.get(file)
    if (known?.text === text) return known
    const source = await SourceFile.parse(this.services.installation.root, file, text)
    this.parsed.set(file, source)
    return source
  }
}
