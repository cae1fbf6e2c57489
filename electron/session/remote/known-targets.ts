import { placeOf } from '../../contract/project-place'
import type { KnownTarget } from '../../contract/remote-calls'
import type { Settings } from '../../contract/settings'
import { sshHosts } from '../../engine/remote/ssh-hosts'
import { targetCommand } from '../../engine/remote/targets'
import { shellWord } from '../../engine/toolchain/shell-word'
import type { NamedTarget } from '../../engine/remote/targets'

/** The targets of the settings, the hosts of ~/.ssh/config, and those of recent projects. */
export async function knownTargets({
  targets,
  recentProjects,
}: Pick<Settings, 'targets' | 'recentProjects'>): Promise<KnownTarget[]> {
  const recent = recentProjects.map(placeOf).filter(({ target }) => target !== '')
  const known = new Map<string, KnownTarget>()
  const add = (name: string, kind: KnownTarget['kind'], detail: string): void => {
    if (known.has(name)) return
    const folders = recent.filter(({ target }) => target === name).map(({ folder }) => folder)
    known.set(name, { name, kind, detail, folders })
  }
  for (const [name, target] of Object.entries(targets))
    add(name, 'settings', targetCommand(target).map(shellWord).join(' '))
  for (const host of await sshHosts()) add(`ssh:${host}`, 'ssh', 'a host of ~/.ssh/config')
  for (const { target } of recent) add(target, 'recent', 'used before')
  return [...known.values()]
}

/** Whether the settings file or ~/.ssh/config names the target. */
export async function isOfUser(
  { name }: Pick<NamedTarget, 'name'>,
  { targets }: Pick<Settings, 'targets'>,
): Promise<boolean> {
  if (Object.hasOwn(targets, name)) return true
  const host = /^ssh:(?:[^@]*@)?(.+)$/.exec(name)?.[1]
  return host !== undefined && (await sshHosts()).includes(host)
}
