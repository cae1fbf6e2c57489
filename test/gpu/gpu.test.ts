import { describe } from 'vitest'

import { testBuild } from './parts/build'
import { testChecks } from './parts/checks'
import { testEdits } from './parts/edits'
import { testFaults } from './parts/faults'
import { testLibtorch } from './parts/libtorch'
import { testProfiler } from './parts/profiler'
import { testReplay } from './parts/replay'
import { testState } from './parts/state'
import { testTimes } from './parts/times'

// Written without a GPU at hand, and never yet run on one. The order is that in which one failure explains the next:
// without a context nothing works, after a fault that is not survived all that follows fails, and times mean something
// only where the code is that of the GPU here. vitest runs `describe`s of a file in their order.

describe('1 libtorch', testLibtorch)
describe('2 a context that is lost', testFaults)
describe('3 checks and gradients', testChecks)
describe('4 code for the GPU here', testBuild)
describe('5 and 6 times', testTimes)
describe('7 the state at work', testState)
describe('8 graphs', testReplay)
describe('9 kernels and profiles', testProfiler)
describe('10 edits, and a second GPU', testEdits)
