import type { ProfileHolder, ProfileMemory } from '../../contract/profile'
import type { EventTree } from './event-tree'

/** Who took the blocks that were held after the allocation at `last`, the most first. */
function holdersAt(tree: EventTree, device: number, last: number): ProfileHolder[] {
  const { allocations } = tree.trace
  const held = new Map<number, number>()
  for (let index = 0; index <= last; index += 1) {
    if (allocations.device[index] !== device) continue
    const block = allocations.block[index] ?? -1
    if ((allocations.bytes[index] ?? 0) > 0) held.set(block, index)
    else held.delete(block)
  }
  const holders = new Map<string, ProfileHolder>()
  for (const index of held.values()) {
    const event = allocations.event[index] ?? -1
    const place = event < 0 ? undefined : tree.place(event)
    const name = event < 0 ? '' : tree.name(event)
    const key = `${name} ${place?.file ?? ''}:${place?.line ?? 0}`
    const holder = holders.get(key) ?? {
      bytes: 0,
      blocks: 0,
      name,
      event,
      file: place?.file ?? '',
      line: place?.line ?? 0,
    }
    holder.bytes += allocations.bytes[index] ?? 0
    holder.blocks += 1
    holders.set(key, holder)
  }
  return [...holders.values()].sort((a, b) => b.bytes - a.bytes)
}

/** For each device what the run took and had not given back, over time; the arguments are not in it. */
export function memoryCurves(tree: EventTree): ProfileMemory[] {
  const { allocations, devices } = tree.trace
  return devices.map((name, device) => {
    const times: number[] = []
    const bytes: number[] = []
    let held = 0
    let peak = 0
    let peakAt = -1
    allocations.bytes.forEach((change, index) => {
      if (allocations.device[index] !== device) return
      held += change
      times.push(allocations.time[index] ?? 0)
      bytes.push(held)
      if (held > peak) [peak, peakAt] = [held, index]
    })
    return {
      device: name,
      times,
      bytes,
      peak,
      end: held,
      peakTime: peakAt < 0 ? 0 : (allocations.time[peakAt] ?? 0),
      holders: peakAt < 0 ? [] : holdersAt(tree, device, peakAt),
    }
  })
}
