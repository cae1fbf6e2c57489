import type { OperatorDetail, OperatorSummary } from '../../electron/contract/operators'
import { registryJob } from '../store/registry'
import { schemasStore } from '../store/schemas'

/** Overloads of one operator, the default one first. */
export type KnownOperator = {
  /** "ns::name" */
  name: string
  overloads: OperatorSummary[]
  /** Of the project's library. */
  isOwn: boolean
}

type Operators = {
  byName: ReadonlyMap<string, KnownOperator>
  /** Names within each namespace, sorted. */
  namespaces: ReadonlyMap<string, readonly string[]>
}

let builtFrom: unknown[] = []
let built: Operators | null = null

/** All that the op host's dispatcher knows: libtorch's operators and the project's. */
export async function operators(): Promise<Operators> {
  if (registryJob.store.getState().value === null) await registryJob.run()
  const { value: entries } = registryJob.store.getState()
  const { load } = schemasStore.getState()
  if (built !== null && builtFrom[0] === entries && builtFrom[1] === load) return built
  const own = new Set((load?.operators ?? []).map(({ name }) => name))
  const byName = new Map<string, KnownOperator>()
  for (const entry of entries ?? load?.operators ?? []) {
    const known = byName.get(entry.name)
    if (known) known.overloads.push(entry)
    else {
      byName.set(entry.name, { name: entry.name, overloads: [entry], isOwn: own.has(entry.name) })
    }
  }
  const namespaces = new Map<string, string[]>()
  for (const name of byName.keys()) {
    const [namespace = '', bare = ''] = name.split('::')
    const names = namespaces.get(namespace)
    if (names) names.push(bare)
    else namespaces.set(namespace, [bare])
  }
  for (const names of namespaces.values()) names.sort()
  built = { byName, namespaces }
  builtFrom = [entries, load]
  return built
}

/** What the project's library says of its operator. */
export function ownOverloads(name: string): OperatorDetail[] {
  return (schemasStore.getState().load?.operators ?? []).filter((one) => one.name === name)
}

/** The modules whose functions are libtorch's operators; native/runtime/program/script_modules.cpp. */
const prefixes: readonly [module: string, prefix: string][] = [
  ['torch.linalg', 'aten::linalg_'],
  ['torch.special', 'aten::special_'],
  ['torch.fft', 'aten::fft_'],
  ['torch.sparse', 'aten::_sparse_'],
  ['torch.nn.functional', 'aten::'],
  ['torch', 'aten::'],
]

/** "ns::name" for torch.ops.ns.name and torch.name; null for other paths. */
export function operatorOf(path: string): string | null {
  const custom = /^torch\.ops\.(\w+)\.(\w+)$/.exec(path)
  if (custom) return `${custom[1] ?? ''}::${custom[2] ?? ''}`
  const dot = path.lastIndexOf('.')
  const found = prefixes.find(([module]) => module === path.slice(0, dot))
  return found ? `${found[1]}${path.slice(dot + 1)}` : null
}
