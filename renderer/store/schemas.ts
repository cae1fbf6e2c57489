import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { ClassDetail, LoadReport, OperatorDetail } from '../../electron/contract/operators'
import { buildStamp, withProgram } from './files'

export type Change =
  | { kind: 'added' }
  | { kind: 'removed' }
  | { kind: 'altered'; before: string }
  | { kind: 'kernels'; before: string }

export type SchemaRow = { operator: OperatorDetail; change: Change | null }
export type ClassRow = { type: ClassDetail; change: 'added' | 'removed' | 'altered' | null }

type SchemasState = {
  load: LoadReport | null
  rows: SchemaRow[]
  classes: ClassRow[]
  stamp: string | null
}

export const schemasStore = createStore<SchemasState>(() => ({
  load: null,
  rows: [],
  classes: [],
  stamp: null,
}))

export function useSchemas<T>(select: (state: SchemasState) => T): T {
  return useStore(schemasStore, select)
}

export function operatorKey(operator: { name: string; overload: string }): string {
  return operator.overload === '' ? operator.name : `${operator.name}.${operator.overload}`
}

/** Takes what a build registered and marks what is not as it was after the build before. */
export function takeLoad(load: LoadReport, stamp: string): void {
  const before = schemasStore.getState().load
  schemasStore.setState({
    load,
    stamp,
    rows: compareOperators(before?.operators ?? null, load.operators),
    classes: compareClasses(before?.classes ?? null, load.classes),
  })
}

/**
 * The stamp of what calls and checks use: the library in the op host, and the program. While a build runs, and after
 * a build that failed, the files on disk are newer.
 */
export function libraryStamp(): string {
  return withProgram(schemasStore.getState().stamp ?? buildStamp())
}

export function forgetSchemas(): void {
  schemasStore.setState(schemasStore.getInitialState(), true)
}

function compareOperators(before: OperatorDetail[] | null, now: OperatorDetail[]): SchemaRow[] {
  const sorted = [...now].sort((a, b) => operatorKey(a).localeCompare(operatorKey(b)))
  if (before === null) return sorted.map((operator) => ({ operator, change: null }))
  const old = new Map(before.map((operator) => [operatorKey(operator), operator]))
  const rows = sorted.map((operator): SchemaRow => {
    const was = old.get(operatorKey(operator))
    old.delete(operatorKey(operator))
    return { operator, change: was ? changeOf(was, operator) : { kind: 'added' } }
  })
  const gone = [...old.values()].map((operator): SchemaRow => {
    return { operator, change: { kind: 'removed' } }
  })
  return [...rows, ...gone]
}

function changeOf(was: OperatorDetail, now: OperatorDetail): Change | null {
  if (was.schema !== now.schema) return { kind: 'altered', before: was.schema }
  const keys = (operator: OperatorDetail): string =>
    operator.kernels
      .map((kernel) => kernel.dispatchKey)
      .sort()
      .join(', ')
  return keys(was) === keys(now) ? null : { kind: 'kernels', before: keys(was) }
}

function compareClasses(before: ClassDetail[] | null, now: ClassDetail[]): ClassRow[] {
  if (before === null) return now.map((type) => ({ type, change: null }))
  const old = new Map(before.map((type) => [type.name, type]))
  const rows = now.map((type): ClassRow => {
    const was = old.get(type.name)
    old.delete(type.name)
    if (!was) return { type, change: 'added' }
    return { type, change: methodsOf(was) === methodsOf(type) ? null : 'altered' }
  })
  return [...rows, ...[...old.values()].map((type): ClassRow => ({ type, change: 'removed' }))]
}

function methodsOf(type: ClassDetail): string {
  return type.methods.map((method) => `${method.name} ${method.schema}`).join('\n')
}
