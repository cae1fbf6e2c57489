/** Where a project is: a folder of this machine, or of a target. */
export interface ProjectPlace {
  /** The name of the target; "" for this machine. */
  target: string
  folder: string
}

/** As recent projects are kept: the folder, or "TARGET:/FOLDER", which never begins with a slash. */
export function placeName({ target, folder }: ProjectPlace): string {
  return target === '' ? folder : `${target}:${folder}`
}

export function placeOf(name: string): ProjectPlace {
  // A command line may have a colon and a slash, for example in an address; a folder hardly has.
  const at = name.startsWith('/') ? -1 : name.lastIndexOf(':/')
  return at < 0
    ? { target: '', folder: name }
    : { target: name.slice(0, at), folder: name.slice(at + 1) }
}

/** What people call the machine of a target: "gpu" for "ssh:gpu". */
export function machineOf(target: string): string {
  return target.replace(/^ssh:/, '')
}
