import fs from 'node:fs/promises'
import path from 'node:path'

import { boundFunctions, pybindModules, withoutComments } from '../project/scan-source'
import type { ProposalDraft } from './proposal-draft'

/** Parts of pybind11 that need Python: a source that uses one does not compile here. */
const needsPython =
  /\bpy(?:bind11)?::(class_|enum_|object|dict|list|tuple|array(?:_t)?|buffer|function|module_?::import|exec|eval)\b/

/** Functions that a remark names. */
const mostNamed = 4

function firstLine(text: string, pattern: RegExp): number {
  const match = pattern.exec(text)
  return match ? text.slice(0, match.index).split('\n').length : 0
}

/** Says which functions of PYBIND11_MODULE blocks can be called, and which lines need Python. */
export async function remarkOnBindings(draft: ProposalDraft, folder: string): Promise<void> {
  for (const source of draft.listed('sources')) {
    const proposed = draft.files.find((one) => one.path === source)?.text
    const text = withoutComments(
      proposed ?? (await fs.readFile(path.join(folder, source), 'utf8').catch(() => '')),
    )
    if (pybindModules(text).length === 0) continue
    const names = boundFunctions(text).map(({ name }) => name)
    const line = firstLine(text, /\bPYBIND11_MODULE\b/)
    if (names.length > 0) {
      const shown = names.slice(0, mostNamed).join(', ')
      const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
      draft.remark(
        `Functions of PYBIND11_MODULE become operators: ${shown}${more}. A call works if the arguments and results are only tensors, numbers, strings, and lists of these.`,
        { file: source, line },
      )
    }
    const pythonLine = firstLine(text, needsPython)
    if (pythonLine > 0) {
      const what = needsPython.exec(text)?.[0] ?? ''
      draft.remark(
        `${what} needs Python, but operators run without Python, so this code does not compile.`,
        {
          file: source,
          line: pythonLine,
        },
      )
    }
  }
}
