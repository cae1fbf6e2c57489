import { vi } from 'vitest'

import { manifest as manifestSchema, type Manifest } from '../../electron/contract/manifest'
import { projectStore } from '../../renderer/store/project'

type Answer = (input: unknown) => unknown
type Listener = (event: unknown) => void

/** A job listens once, for as long as the window lives. */
const listeners: [string, Listener][] = []

/** A window whose project is open; main answers with what a test says, and with null where it says nothing. */
export function openBareProject(
  answers: ReadonlyMap<string, Answer>,
  more: Partial<Manifest> = {},
): { emit: (name: string, event: unknown) => void; calls: [name: string, input: unknown][] } {
  const calls: [string, unknown][] = []
  vi.stubGlobal('window', {
    opsmith: {
      call: (name: string, input: unknown) => {
        calls.push([name, input])
        return Promise.resolve(answers.get(name)?.(input) ?? { ok: true, value: null })
      },
      on: (name: string, listener: Listener) => {
        listeners.push([name, listener])
        return () => undefined
      },
    },
  })
  const manifest = { ...manifestSchema.parse({ name: 'my_op', sources: ['op.cpp'] }), ...more }
  projectStore.setState({ project: { folder: '/project', manifest, files: [] } as never })
  return {
    emit: (name, event) => {
      for (const [heard, listener] of listeners) if (heard === name) listener(event)
    },
    calls,
  }
}
