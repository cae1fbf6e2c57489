import type { Result } from '../../contract/outcome'
import { ok } from '../../contract/outcome'
import { isNewEnough } from './engine-archive'
import { runScript } from './remote-shell'
import type { ScriptOptions } from './remote-shell'
import { enginesFolder } from './targets'
import { shellWord } from '../toolchain/shell-word'
import type { NamedTarget } from './targets'

/** What a machine has that is to get an engine. */
export interface Probe {
  /** As uname says: Linux, x86_64. */
  system: string
  machine: string
  /** Where the engine is copied to. */
  folder: string
  /** The version of Opsmith there; "" for none. */
  opsmith: string
  /** The copy of this engine is there. */
  hasCopy: boolean
  /** Nodes that can run the engine; the version "" is one that does not run. */
  node: { file: string; version: string } | undefined
  /** The newest Node that is too old; "" for none. */
  oldNode: string
  /** Programs that unpacking needs and that are not there. */
  missingPrograms: string[]
  /** The command that installs packages; "" if it is not known. */
  installer: string
}

const installers: Readonly<Record<string, string>> = {
  'apt-get': 'apt-get install -y',
  dnf: 'dnf install -y',
  apk: 'apk add',
  pacman: 'pacman -S --needed',
}

const programs = ['tar', 'gzip', 'sha256sum', 'head']

function scriptOf(opsmith: string, copy: string): string {
  const at = `${enginesFolder}/`
  return [
    'echo "system=$(uname -s)"; echo "machine=$(uname -m)"; echo "user=$(id -u)"',
    `echo "folder="${enginesFolder}`,
    `[ -x ${at}${shellWord(copy)}/bin/opsmith ] && echo copy=yes`,
    `command -v ${shellWord(opsmith)} >/dev/null && echo "opsmith=$(${shellWord(opsmith)} --version </dev/null 2>/dev/null)"`,
    `for n in $(command -v node) $(command -v nodejs) ${at}node-*/node; do [ -x "$n" ] && echo "node=$("$n" --version 2>/dev/null) $n"; done`,
    `for p in ${programs.join(' ')}; do command -v $p >/dev/null || echo "missing=$p"; done`,
    `for p in ${Object.keys(installers).join(' ')}; do command -v $p >/dev/null && echo "installer=$p"; done`,
    'exit 0',
  ].join('; ')
}

/** Asks a machine what it has. Nothing is written there. */
export async function probe(
  target: NamedTarget,
  copy: string,
  options: ScriptOptions,
): Promise<Result<Probe>> {
  const ran = await runScript(target, scriptOf(target.opsmith ?? 'opsmith', copy), options)
  if (!ran.ok) return ran
  const values = new Map<string, string[]>()
  for (const line of ran.value.stdout.split('\n')) {
    const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    // Some are shown in a dialog of this machine.
    const shown = value.replaceAll(/\p{Cc}/gu, '').slice(0, 300)
    values.set(key, [...(values.get(key) ?? []), shown])
  }
  const first = (key: string): string => values.get(key)?.[0] ?? ''
  const nodes = (values.get('node') ?? []).map((line) => {
    const [version = '', ...file] = line.split(' ')
    return { version, file: file.join(' ') }
  })
  const installer = installers[first('installer')] ?? ''
  return ok({
    system: first('system'),
    machine: first('machine'),
    folder: first('folder'),
    opsmith: first('opsmith'),
    hasCopy: first('copy') === 'yes',
    node: nodes.find(({ version }) => isNewEnough(version)),
    oldNode: nodes.find(({ version }) => version !== '')?.version ?? '',
    missingPrograms: values.get('missing') ?? [],
    installer: installer === '' || first('user') === '0' ? installer : `sudo ${installer}`,
  })
}
