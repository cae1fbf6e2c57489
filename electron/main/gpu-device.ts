import fs from 'node:fs'
import path from 'node:path'

/** The devices through which Chromium reaches a GPU: Linux's own, NVIDIA's, and that of Windows below WSL. */
const devices = ['dri', 'nvidiactl', 'dxg']

/**
 * Whether this machine may have a GPU that paints. If not, Chromium searches for one at each start, and the first page waits
 * a tenth of a second.
 * @param folder of the devices
 */
export function mayHaveGpu(platform: NodeJS.Platform, folder = '/dev'): boolean {
  return platform !== 'linux' || devices.some((name) => fs.existsSync(path.join(folder, name)))
}
