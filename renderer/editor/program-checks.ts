import { checkProgram, forgetProgramProblems, programPath } from '../store/program-problems'
import { filesStore } from '../store/files'
import { projectStore } from '../store/project'
import { schemasStore } from '../store/schemas'
import { modelOf, pathOf, textOf } from './models'
import { monaco } from './monaco'

/** Milliseconds without a key before the compiler is asked. */
const pause = 250

let timer: ReturnType<typeof setTimeout> | undefined

function checkSoon(): void {
  clearTimeout(timer)
  timer = setTimeout(() => {
    const path = programPath()
    const model = path === null ? null : modelOf(path)
    void checkProgram(model ? textOf(model) : undefined)
  }, pause)
}

/** Checks the program while it is typed, and again when there are other operators to call. */
export function followProgram(): void {
  monaco.editor.onDidCreateModel((model) => {
    model.onDidChangeContent(() => {
      if (pathOf(model) === programPath()) checkSoon()
    })
  })
  schemasStore.subscribe((now, before) => {
    if (now.load !== before.load) checkSoon()
  })
  filesStore.subscribe((now, before) => {
    if (now.programRevision !== before.programRevision) checkSoon()
  })
  projectStore.subscribe((now, before) => {
    if (now.project?.folder !== before.project?.folder) {
      clearTimeout(timer)
      forgetProgramProblems()
    }
    const program = now.project?.manifest?.program
    if (program !== before.project?.manifest?.program) checkSoon()
  })
}
