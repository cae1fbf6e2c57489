import os from 'node:os'
import path from 'node:path'

/** The folders outside projects that Opsmith writes to, as the XDG base directory specification has them. */
export interface Places {
  /** What the user chose: settings.json. */
  configFolder: string
  /** What the user made, and what nothing can make again: drafts, histories, last results, trusted folders, projects. */
  dataFolder: string
  /** What is of this machine and of no value elsewhere: the log, layouts, the place of the window, crash dumps. */
  stateFolder: string
  /** Only what can be made again. */
  cacheFolder: string
}

/** @param environment a folder that is not absolute is ignored, as the specification wants it */
export function findPlaces(environment: NodeJS.ProcessEnv = process.env): Places {
  const place = (variable: string, ...usual: string[]): string => {
    const base = environment[variable] ?? ''
    return path.join(path.isAbsolute(base) ? base : path.join(os.homedir(), ...usual), 'opsmith')
  }
  return {
    configFolder: place('XDG_CONFIG_HOME', '.config'),
    dataFolder: place('XDG_DATA_HOME', '.local', 'share'),
    stateFolder: place('XDG_STATE_HOME', '.local', 'state'),
    cacheFolder: place('XDG_CACHE_HOME', '.cache'),
  }
}
