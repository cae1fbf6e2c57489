/** A GPU as CUDA's driver describes it: native/runtime/driver_report.h. */
export interface DriverDevice {
  name: string
  /** Compute capability without its point: "90". */
  architecture: string
  memoryBytes: number
  /** Of the last level. */
  cacheBytes: number
  multiprocessors: number
  /** Hz; the highest that it reaches. */
  clock: number
  memoryClock: number
  busBits: number
  /** "00000000:01:00.0" */
  pci: string
}

export interface DriverReport {
  /** Why the driver cannot be used, in a clause; "" where it can. */
  why: string
  /** What cuInit answers: "CUDA_SUCCESS"; "" where the driver could not be opened. */
  code: string
  /** 1000 * major + 10 * minor of the CUDA that it takes; 0 where it does not say. */
  version: number
  devices: DriverDevice[]
}

/** "13.0" of 13000; "" of 0. */
export function cudaVersionOf(version: number): string {
  return version === 0 ? '' : `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`
}

/** Reads what `opsmith_launcher --gpus` prints: a word and its values in a line, tabs between them. */
export function parseDriverReport(text: string): DriverReport {
  const report: DriverReport = { why: '', code: '', version: 0, devices: [] }
  for (const line of text.split('\n')) {
    const [word = '', ...values] = line.split('\t')
    const [first = ''] = values
    if (word === 'why') report.why = first
    else if (word === 'code') report.code = first
    else if (word === 'version') report.version = Number(first)
    else if (word === 'device') {
      const [name = '', architecture = '', ...more] = values
      const [memory, cache, multiprocessors, clock, memoryClock, busBits] = more.map(Number)
      report.devices.push({
        name,
        architecture,
        memoryBytes: memory ?? 0,
        cacheBytes: cache ?? 0,
        multiprocessors: multiprocessors ?? 0,
        clock: clock ?? 0,
        memoryClock: memoryClock ?? 0,
        busBits: busBits ?? 0,
        pci: more[6] ?? '',
      })
    }
  }
  return report
}
