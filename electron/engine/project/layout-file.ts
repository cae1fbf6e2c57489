import fs from 'node:fs/promises'
import path from 'node:path'

import { z } from 'zod'

import { isJsonOf, writeOver } from './write-over'

/** The rest of it is the window's own (renderer/shell/layouts.ts). */
const readable = z.looseObject({ version: z.literal(1) })

export function layoutFile(state: string): string {
  return path.join(state, 'layout.json')
}

export function canReadLayout(text: string): boolean {
  return isJsonOf(text, (value) => readable.safeParse(value).success)
}

/** The window's layouts and what was chosen in its panels, as it gave them; "" for nothing. */
export async function readLayout(state: string): Promise<string> {
  return await fs.readFile(layoutFile(state), 'utf8').catch(() => '')
}

export async function keepLayout(state: string, layout: string): Promise<void> {
  await writeOver(layoutFile(state), layout, canReadLayout)
}
