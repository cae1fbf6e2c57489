// Which of Electron's fuses an Electron has: a fuse that is unknown to it cannot be set.

/** The first major version with each fuse that not all supported versions have. */
const firstVersion = { grantFileProtocolExtraPrivileges: 29 }

/**
 * @param {Record<string, boolean>} wanted by the names of electron-builder's `electronFuses`
 * @param {string} version of Electron; "" counts as one with all of them
 */
export function fusesOf(wanted, version) {
  const major = version === '' ? Infinity : Number.parseInt(version, 10)
  const isKnown = (name) => major >= (firstVersion[name] ?? 0)
  const names = Object.keys(wanted)
  return {
    fuses: Object.fromEntries(names.filter(isKnown).map((name) => [name, wanted[name]])),
    leftOut: names.filter((name) => !isKnown(name)),
  }
}
