// Each worker opens its windows on a display of its own: a display has one keyboard focus.
const displays = process.env['OPSMITH_TEST_DISPLAYS']?.split(' ') ?? []
const worker = Number(process.env['VITEST_POOL_ID'] ?? 1)
const display = displays[(worker - 1) % displays.length]
if (display !== undefined) process.env['DISPLAY'] = display
