import { beforeEach, describe, expect, it } from 'vitest'

import type { AssemblyFunction, AssemblyReport } from '../../electron/contract/assembly'
import { err, ok } from '../../electron/contract/outcome'
import { assemblyStore } from '../../renderer/features/assembly/store'
import {
  forgetAssembly,
  pickFunction,
  refreshAssembly,
  showCaret,
  showForm,
} from '../../renderer/features/assembly/run'
import { listJob, showJob } from '../../renderer/features/assembly/jobs'
import { buildJob } from '../../renderer/store/build'
import { filesStore } from '../../renderer/store/files'
import { layoutStore } from '../../renderer/store/layout'
import { projectStore } from '../../renderer/store/project'
import { connectMain, settled } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()

const functionOf = (name: string, line: number): AssemblyFunction => {
  return { id: name, name, title: name, file: '/project/a.cpp', line, size: 8 }
}
const reportOf = (name: string, form: AssemblyReport['form'] = 'machine'): AssemblyReport => ({
  form,
  function: functionOf(name, 1),
  rows: [],
  mix: [],
  architecture: 'x86-64',
  tool: 'test',
  meanings: {},
  loops: [],
})
const listing = {
  functions: [functionOf('f', 1), functionOf('g', 9)],
  compilers: [],
  forms: [{ form: 'machine' as const, whyNot: '' }],
}

const shown = (): string | undefined => showJob.store.getState().value?.report.function.name

function built(key: string, stamp: string): void {
  buildJob.store.setState({
    running: null,
    value: { report: { ok: true, key }, settled: null } as never,
    stamp,
  })
}

function caretAt(line: number): void {
  filesStore.setState({ active: { path: 'a.cpp', line, column: 1 } })
}

beforeEach(() => {
  forgetAssembly()
  openInWindow('/project')
  projectStore.setState(({ project }) => ({
    project: project && {
      ...project,
      files: [{ path: 'a.cpp', role: 'source' }] as typeof project.files,
    },
  }))
  layoutStore.setState({ visible: new Set(['assembly']) })
  caretAt(1)
  main.give('assembly.list', listing)
  main.answer('assembly.show', ({ choice }) =>
    choice.line > 20 ? err('input.invalid', 'No code.') : ok(reportOf(choice.name || 'f')),
  )
})

describe('what the Assembly panel shows', () => {
  it('is of the build that was listed, once a build', async () => {
    built('key', 'sources')
    await refreshAssembly()
    await refreshAssembly()
    expect(shown()).toBe('f')
    expect(showJob.store.getState().value?.stamp).toBe('sources')
    expect(main.asked('assembly.list')).toHaveLength(1)
    built('newer', 'edited')
    await refreshAssembly()
    expect(showJob.store.getState().value?.stamp).toBe('edited')
  })

  it('is what was asked for last, whichever answer comes first', async () => {
    const pending = main.hold('assembly.show')
    const older = pickFunction('f')
    const newer = pickFunction('g')
    await settled()
    pending.begun[1]?.end(ok(reportOf('g')))
    await newer
    pending.begun[0]?.end(ok(reportOf('f')))
    await older
    expect(shown()).toBe('g')
  })

  it('stays where the caret is in no function; where nothing is shown, the panel says so', async () => {
    built('key', 'sources')
    caretAt(30)
    await refreshAssembly()
    expect(shown(), 'the first function is better than none').toBe('f')
    await showCaret()
    expect(shown()).toBe('f')
    expect(showJob.store.getState().error).toBeNull()
    await pickFunction('f')
    main.refuse('assembly.show', { code: 'io', message: 'The library is gone.' })
    await pickFunction('g')
    expect(showJob.store.getState().error?.code).toBe('io')
    expect(shown()).toBe('f')
  })

  it('is not of the form that was left', async () => {
    const pending = main.hold('assembly.show')
    const older = pickFunction('f')
    await settled()
    main.give('assembly.list', { ...listing, functions: [] })
    assemblyStore.setState({ follows: false })
    await showForm('ptx')
    pending.begun[0]?.end(ok(reportOf('f')))
    await older
    expect(shown()).toBeUndefined()
  })

  it('is listed, too, when the caret moves while the list is read', async () => {
    built('key', 'sources')
    await refreshAssembly()
    const lists = main.hold('assembly.list')
    built('newer', 'edited')
    const refresh = refreshAssembly()
    await settled()
    await showCaret()
    lists.begun[0]?.end(ok({ ...listing, functions: [functionOf('f', 2)] }))
    await refresh
    expect(listJob.store.getState().value?.functions).toHaveLength(1)
  })

  it('is gone with the project, with what still comes of it', async () => {
    built('key', 'sources')
    await refreshAssembly()
    const pending = main.hold('assembly.show')
    const older = pickFunction('g')
    await settled()
    openInWindow('/other')
    forgetAssembly()
    pending.begun[0]?.end(ok(reportOf('g')))
    await older
    expect(shown()).toBeUndefined()
    expect(assemblyStore.getState()).toMatchObject({ key: '', stamp: null })
  })
})
