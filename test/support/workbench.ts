import { afterAll, beforeAll } from 'vitest'

import type { SettingsChange } from '../../electron/contract/settings'
import { startForkedHost } from '../../electron/engine/host/transport'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { commandOptions, windowOptions, Workbench } from '../../electron/engine/workbench'
import { makeTestCache, testInstallation } from './installation'
import type { TestCache } from './installation'

export interface TestWorkbench {
  workbench: Workbench
  cache: TestCache
}

/**
 * A workbench for all tests of a file, or of the `describe` that it is called in, closed after them. What the
 * compiler made is shared between files; settings, drafts and histories are its own.
 * @param options.settings in place before the workbench reads them
 * @param options.settings.hotCompile off unless asked for: a compile server takes a core for ten seconds
 * @param options.inWindow as the app works: a second op host waits, warm, and builds are not linted
 * @param options.prepareMissingHeaders false: no compiler works in the background for a next build
 */
export function useWorkbench(
  options: { settings?: SettingsChange; inWindow?: boolean; prepareMissingHeaders?: boolean } = {},
): TestWorkbench {
  const cache = makeTestCache()
  const usual = options.inWindow ? windowOptions : commandOptions
  const { prepareMissingHeaders = usual.prepareMissingHeaders } = options
  const workbench = new Workbench(
    testInstallation(cache),
    startForkedHost,
    {},
    { ...usual, prepareMissingHeaders },
  )
  beforeAll(async () => {
    await changeSettings(cache.places.configFolder, {
      hotCompile: false,
      // The tests' projects: going from one to another then needs no other op host.
      writableFolders: [cache.home],
      ...options.settings,
    })
    await workbench.applySettings()
  })
  afterAll(async () => {
    await workbench.close()
    cache.remove()
  })
  return { workbench, cache }
}
