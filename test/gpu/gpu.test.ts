import { describe } from 'vitest'

import { testBuild } from './parts/build'
import { testChecks } from './parts/checks'
import { testEdits } from './parts/edits'
import { testFaults } from './parts/faults'
import { testLibtorch } from './parts/libtorch'
import { testProfiler } from './parts/profiler'
import { useSample } from './parts/projects'
import { testReplay } from './parts/replay'
import { testState } from './parts/state'
import { testTimes } from './parts/times'

// The order is that in which one failure explains the next: without a context nothing works, after a fault that is not
// survived all that follows fails, and times mean something only where the code is that of the GPU here. vitest runs the
// `describe`s of a file in their order.

// Each is built once, by one workbench, as people work.
const force = useSample('calculate_force')
const myOp = useSample('my_op')

describe('1 libtorch', testLibtorch)
describe('2 a context that is lost', () => {
  testFaults(force)
})
describe('3 checks and gradients', () => {
  testChecks(force)
})
describe('4 code for the GPU here', () => {
  testBuild(force)
})
describe('5 and 6 times', () => {
  testTimes(myOp)
})
describe('7 the state at work', () => {
  testState(myOp)
})
describe('8 graphs', () => {
  testReplay(myOp)
})
describe('9 kernels and profiles', () => {
  testProfiler(myOp)
})
describe('10 edits, and a second GPU', () => {
  testEdits(force)
})
