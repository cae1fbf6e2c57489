import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { findOnPath } from './find-on-path'
import { runProcess } from './run-command'

/** The command that installs packages with the package manager that is here. */
export function installCommand(packages: readonly string[]): string {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  const manager = findOnPath('apt-get')
    ? 'apt-get install -y'
    : findOnPath('dnf')
      ? 'dnf install -y'
      : findOnPath('pacman')
        ? 'pacman -S'
        : 'apt-get install'
  return `${sudo}${manager} ${packages.join(' ')}`
}

/** Splits a line of flags as a shell would, quotes and backslashes honoured. */
export function splitFlags(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_all, escaped, double, single) =>
      String(escaped ?? double ?? single ?? ''),
    ),
  )
}

export interface PackageFlags {
  compile: string[]
  link: string[]
}

/** Flags of the project's pkg-config packages; a missing one is named with the command that installs it. */
export async function packageFlags(manifest: Manifest): Promise<Result<PackageFlags>> {
  const flags: PackageFlags = { compile: [], link: [] }
  if (manifest.pkgConfig.length === 0) return ok(flags)
  const tool = findOnPath('pkg-config') ?? findOnPath('pkgconf')
  if (!tool) {
    return err(
      'toolchain.missing',
      'pkg-config is not installed, but this project uses it to find packages.',
      {
        hint: installCommand(['pkg-config', ...manifest.systemPackages]),
      },
    )
  }
  for (const [index, name] of manifest.pkgConfig.entries()) {
    const compile = await runProcess(tool, ['--cflags', name])
    const link = await runProcess(tool, ['--libs', name])
    if (compile.exitCode !== 0 || link.exitCode !== 0) {
      return err(
        'toolchain.missing',
        `The package ${name}, which this project needs, is not installed.`,
        {
          path: `pkgConfig[${index}]`,
          hint:
            manifest.systemPackages.length > 0
              ? installCommand(manifest.systemPackages)
              : `Install the development package of ${name}. Add that package to "systemPackages" in opsmith.json, so that other users know what to install.`,
          detail: compile.stderr.trim(),
        },
      )
    }
    flags.compile.push(...splitFlags(compile.stdout))
    flags.link.push(...splitFlags(link.stdout))
  }
  return ok(flags)
}

/** The command that installs what the project's pkg-config entries lack; "" when nothing is missing. */
export async function missingPackages(manifest: Manifest): Promise<string> {
  const flags = await packageFlags(manifest)
  return flags.ok ? '' : (flags.error.hint ?? '')
}
