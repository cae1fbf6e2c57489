import fs from 'node:fs'
import path from 'node:path'

import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import { groupFlags } from './carry-flags'
import type { FlagPlace } from './carry-flags'
import { choosePython } from './choose-python'
import type { LoadScript } from './find-scripts'
import { pairExtensions } from './paired-extensions'
import type { ExtensionPair } from './paired-extensions'
import type { ProposalDraft } from './proposal-draft'
import { recordLoads } from './recorded-setup'
import type { RecordedExtension, RecordedSetup } from './recorded-setup'
import type { ImportRequest, ReadRepository } from './repository'

/** Scripts that are run; the others are named. */
const mostRun = 4

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** What the scripts of a folder load, with the files that their texts would become. */
class Loads {
  /** Files that are proposed, by name: text. */
  private readonly taken = new Map<string, string>()

  constructor(
    private readonly draft: ProposalDraft,
    private readonly folder: string,
  ) {}

  /** The text of a file, of the folder or proposed; undefined where there is none. */
  private textOf(file: string): string | undefined {
    const absolute = path.join(this.folder, file)
    return this.taken.get(file) ?? (fs.existsSync(absolute) ? readText(absolute) : undefined)
  }

  /** The file next to the script for a text: one that has this text already, else one that is not there. */
  private fileFor(script: string, name: string, ending: string, text: string): string {
    const stem = name.replace(/\W+/g, '_')
    const base = path.join(path.dirname(script), stem === '' ? 'inline' : stem)
    for (let count = 1; ; count += 1) {
      const file = `${base}${count === 1 ? '' : `_${count}`}${ending}`
      const known = this.textOf(file)
      if (known === undefined) this.taken.set(file, text)
      if (known === undefined || known === text) return file
    }
  }

  /** An extension with files instead of texts, and with the names of load()'s arguments. */
  private withFiles(script: string, one: RecordedExtension): RecordedExtension {
    const { line, inline } = one
    const places = new Map<string, FlagPlace>()
    const note = (values: readonly string[], what: string): void => {
      for (const value of values) places.set(value, { file: script, line, what })
    }
    const texts = (flags: readonly string[] = []): string[] =>
      groupFlags(flags).map((group) => group.join(' '))
    note(one.includeDirs, 'extra_include_paths')
    note(texts(one.flags['nvcc']), 'extra_cuda_cflags')
    note(texts(one.flags['cxx']), 'extra_cflags')
    note(texts(one.linkFlags), 'extra_ldflags')
    const files = new Map<string, string>()
    const sources = [...one.sources]
    const addText = (text: string | undefined, ending: string, what: string): void => {
      if (text === undefined || text === '') return
      const file = this.fileFor(script, one.name, ending, `${text}\n`)
      sources.push(file)
      note([file], what)
      if (this.taken.has(file)) files.set(file, `${text}\n`)
    }
    addText(inline?.cpp, '.cpp', 'cpp_sources')
    addText(inline?.cuda, '.cu', 'cuda_sources')
    return { ...one, file: script, sources, places, files }
  }

  /** The extensions of both runs of a script. */
  pairs(script: LoadScript, { cpu, cuda }: RecordedSetup): ExtensionPair[] {
    const { file, line } = script
    const [without, withCuda] = [cpu, cuda].map(({ extensions }) =>
      extensions.map((one) => this.withFiles(file, one)),
    )
    const pairs = pairExtensions(without ?? [], withCuda ?? [])
    const error = cpu.error ?? cuda.error
    if (pairs.length > 0) return pairs
    if (error) {
      const { missingModule } = error
      this.draft.remark(`${file} fails before the script loads an extension: ${error.message}`, {
        file: error.file,
        line: error.line,
        command: missingModule === null ? '' : `pip install ${missingModule}`,
      })
    } else {
      this.draft.remark(
        'The script calls load() or load_inline() in a function, not on import: Opsmith does not read the sources of that extension.',
        { file, line },
      )
    }
    return []
  }
}

/**
 * Imports the scripts that call load() or load_inline(), and proposes what they load. Texts become files, which are
 * written with opsmith.json only.
 * @returns undefined where no script loads anything when it is imported
 * Errors: no Python (`toolchain.missing`).
 */
export async function readScripts(
  installation: Installation,
  { folder, python: wanted, definitions = [] }: ImportRequest,
  scripts: readonly LoadScript[],
  draft: ProposalDraft,
): Promise<Result<ReadRepository | undefined>> {
  const [first] = scripts
  if (!first) return ok(undefined)
  const python = await choosePython(installation, folder, wanted)
  if (!python.ok) return python
  const loads = new Loads(draft, folder)
  const pairs: ExtensionPair[] = []
  for (const script of scripts.slice(0, mostRun)) {
    const run = { folder, file: script.file, python: python.value, definitions }
    const recorded = await recordLoads(installation, run)
    if (recorded.ok) pairs.push(...loads.pairs(script, recorded.value))
    else draft.remark(recorded.error.message, { file: script.file })
  }
  for (const { file, line } of scripts.slice(mostRun))
    draft.remark(
      `This script was not run: Opsmith runs at most ${mostRun} scripts that load extensions.`,
      { file, line },
    )
  return ok({
    source: 'script',
    file: pairs[0]?.cpu?.file ?? pairs[0]?.cuda?.file ?? first.file,
    python: python.value,
    packageName: '',
    version: '',
    packageFile: '',
    packageLine: 0,
    pairs,
  })
}
