import { act } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'

import type { AppCallName } from '../../electron/contract/app-calls'
import { err, ok } from '../../electron/contract/outcome'
import { chooseCheckedOperator } from '../../renderer/features/operator-checks/run'
import { runCommand } from '../../renderer/store/commands'
import { touched } from '../../renderer/store/files'
import { layoutStore } from '../../renderer/store/layout'
import { filesChanged, forgetResults, requestBuild } from '../../renderer/store/loop'
import { settled } from '../support/main-process'
import { buildOf, crashed, load, projectOf } from './support/answers'
import { main, open, show } from './support/window'

/** What an op host or a compiler is asked for in this file, in the order in which a build makes it. */
const work = [
  'operator.build',
  'operator.run',
  'graph.capture',
  'gradcheck.runAll',
  'gradcheck.run',
  'operatorCheck.runAll',
  'operatorCheck.run',
  'timing.run',
] as const satisfies readonly AppCallName[]

/** Beginnings and ends of that work, as they happened. */
let log: string[] = []

/** Each call takes a moment. All but the build come to an error, which is a result like others for the loop. */
function answerWork(): void {
  const refused = err('request.invalid', 'These tests look at the order of calls.')
  for (const name of work) {
    main.answer(name, async () => {
      log.push(`${name} begins`)
      await settled()
      await settled()
      log.push(`${name} ends`)
      return name === 'operator.build' ? (ok({ build: buildOf(), load }) as never) : refused
    })
  }
}

/** Resolves when nothing has begun or ended for a while. */
async function quiet(): Promise<void> {
  await act(async () => {
    for (let same = 0, before = -1; same < 30; same += 1) {
      if (log.length !== before) same = 0
      before = log.length
      await settled()
    }
  })
}

const oneAfterTheOther = (names: readonly string[]): string[] =>
  names.flatMap((name) => [`${name} begins`, `${name} ends`])

const manifest = {
  gradchecks: [{ op: 'my_op::f', args: ['x'] }],
  checks: [{ op: 'my_op::f', args: ['x'] }],
  benchmarks: [{ op: 'my_op::f', args: ['x'] }],
}

/** All panels are open, and the user has asked each of them for something. */
async function useAllPanels(): Promise<void> {
  await open(manifest)
  await act(() => requestBuild('asked'))
  await quiet()
  const isShown = (): boolean => true
  act(() => {
    layoutStore.setState({
      dock: { isShown, showTool: () => undefined, activeFile: () => null } as never,
    })
  })
  for (const panel of ['graph', 'gradcheck', 'operator-checks', 'timings']) show(panel)
  await quiet()
  for (const command of ['run.go', 'gradcheck.run', 'operatorChecks.all', 'timing.run']) {
    act(() => runCommand(command))
    await quiet()
  }
  act(() => chooseCheckedOperator('my_op::f'))
  await quiet()
}

beforeEach(() => {
  log = []
  answerWork()
  main.give('program.functions', [{ name: 'f', schema: 'f(Tensor x) -> Tensor', line: 1 }])
})

describe('after a build', () => {
  it('what is looked at runs first, what takes long last, one after the other, and nothing twice', async () => {
    await useAllPanels()
    log = []
    touched('op.cpp')
    act(() => filesChanged(['op.cpp']))
    await quiet()
    expect(log).toEqual(oneAfterTheOther(work))
  })

  it('the graph panel refreshes where results were forgotten while it stayed open', async () => {
    await useAllPanels()
    act(() => forgetResults())
    log = []
    await act(() => requestBuild('asked'))
    await quiet()
    expect(log).toContain('graph.capture ends')
  })

  it('that is stopped, a graph panel that was opened during it shows the graph of the library before', async () => {
    await open(manifest)
    await act(() => requestBuild('asked'))
    await quiet()
    let stop = (): void => undefined
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    main.answer('operator.build', async () => {
      await stopped
      return err('cancelled', 'The build was stopped.')
    })
    log = []
    act(() => void requestBuild('asked'))
    show('graph')
    await quiet()
    expect(log).toEqual([])
    stop()
    await quiet()
    expect(log).toEqual(oneAfterTheOther(['graph.capture']))
  })

  it('that failed, or whose library does not load, nothing is asked of the op host', async () => {
    await useAllPanels()
    for (const built of [
      { build: buildOf({ ok: false }) },
      { build: buildOf(), loadError: crashed },
    ]) {
      main.give('operator.build', built)
      log = []
      touched('op.cpp')
      act(() => filesChanged(['op.cpp']))
      await quiet()
      expect(log).toEqual([])
    }
  })

  it('a program that was saved is called and captured again without a build', async () => {
    await useAllPanels()
    const project = projectOf(manifest)
    const files = [...project.files, { path: 'program.py', role: 'program' as const }]
    act(() => main.send('project.changed', { ...project, files }))
    log = []
    touched('program.py')
    act(() => filesChanged(['program.py']))
    await quiet()
    expect(log).toEqual(oneAfterTheOther(work.slice(1)))
  })
})
