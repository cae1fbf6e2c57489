import type { RecordedExtension } from './recorded-setup'

/** An extension without CUDA and with it. One of the two may be missing: setup.py makes it only then. */
export interface ExtensionPair {
  name: string
  cpu: RecordedExtension | undefined
  cuda: RecordedExtension | undefined
}

/** `_scatter_cpu` and `_scatter_cuda` are one extension, which some repositories build twice. */
const withoutDevice = (name: string): string => name.replace(/_(cpu|cuda|gpu)$/, '')

/** All of one are sources of the other too. */
function isPartOf(part: RecordedExtension, whole: RecordedExtension): boolean {
  return part.sources.every((source) => whole.sources.includes(source))
}

/** Finds for each extension of one run that of the other: by its name, or by its name and sources. */
export function pairExtensions(
  cpu: readonly RecordedExtension[],
  cuda: readonly RecordedExtension[],
): ExtensionPair[] {
  const left = [...cuda]
  const take = (fits: (one: RecordedExtension) => boolean): RecordedExtension | undefined => {
    const index = left.findIndex(fits)
    return index < 0 ? undefined : left.splice(index, 1)[0]
  }
  const pairs = cpu.map((one): ExtensionPair => {
    const same = take(({ name }) => name === one.name)
    const larger = take(
      (other) =>
        other.name !== one.name &&
        withoutDevice(other.name) === withoutDevice(one.name) &&
        isPartOf(one, other),
    )
    const name = larger ? withoutDevice(one.name) : one.name
    return { name, cpu: one, cuda: larger ?? same }
  })
  const alone = left.map((one): ExtensionPair => ({ name: one.name, cpu: undefined, cuda: one }))
  return [...pairs, ...alone]
}

/** What is known of a pair whatever the machine: the extension without CUDA, else that with it. */
export function baseOf({ cpu, cuda, name }: ExtensionPair): RecordedExtension {
  const base = cpu ?? cuda
  if (!base) throw new Error(`No recorded run of setup.py defined the extension ${name}.`)
  return base
}

/** All sources of both runs. */
export function sourcesOf({ cpu, cuda }: ExtensionPair): string[] {
  return [...new Set([...(cpu?.sources ?? []), ...(cuda?.sources ?? [])])]
}
