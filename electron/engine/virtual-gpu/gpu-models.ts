/** Peaks of GPU models, of NVIDIA's public data sheets and architecture white papers. */
import type { OccupancyArchitecture } from '../../contract/occupancy'

export interface GpuModel {
  name: string
  architecture: OccupancyArchitecture
  multiprocessors: number
  /** Peak of its memory. */
  bytesPerSecond: number
  /** Peak of float outside of tensor cores. */
  flopsPerSecond: number
  /** Where NVIDIA publishes the figures. */
  source: string
}

const GB = 1e9
const TFLOPS = 1e12

export const gpuModels: readonly GpuModel[] = [
  {
    name: 'NVIDIA T4',
    architecture: 'sm_75',
    multiprocessors: 40,
    bytesPerSecond: 320 * GB,
    flopsPerSecond: 8.1 * TFLOPS,
    source: 'NVIDIA T4 70W Low Profile PCIe GPU Accelerator, product brief PB-09256-001',
  },
  {
    name: 'NVIDIA A100 80GB SXM',
    architecture: 'sm_80',
    multiprocessors: 108,
    bytesPerSecond: 2039 * GB,
    flopsPerSecond: 19.5 * TFLOPS,
    source: 'NVIDIA A100 Tensor Core GPU, data sheet; NVIDIA A100 architecture white paper',
  },
  {
    name: 'NVIDIA GeForce RTX 3090',
    architecture: 'sm_86',
    multiprocessors: 82,
    bytesPerSecond: 936 * GB,
    flopsPerSecond: 35.6 * TFLOPS,
    source: 'NVIDIA Ampere GA102 GPU Architecture, white paper',
  },
  {
    name: 'NVIDIA Jetson AGX Orin 64GB',
    architecture: 'sm_87',
    multiprocessors: 16,
    bytesPerSecond: 204.8 * GB,
    flopsPerSecond: 5.3 * TFLOPS,
    source: 'NVIDIA Jetson AGX Orin Series, technical brief',
  },
  {
    name: 'NVIDIA L4',
    architecture: 'sm_89',
    multiprocessors: 58,
    bytesPerSecond: 300 * GB,
    flopsPerSecond: 30.3 * TFLOPS,
    source: 'NVIDIA L4 Tensor Core GPU, data sheet',
  },
  {
    name: 'NVIDIA GeForce RTX 4090',
    architecture: 'sm_89',
    multiprocessors: 128,
    bytesPerSecond: 1008 * GB,
    flopsPerSecond: 82.6 * TFLOPS,
    source: 'NVIDIA Ada GPU Architecture, white paper',
  },
  {
    name: 'NVIDIA H100 SXM',
    architecture: 'sm_90',
    multiprocessors: 132,
    bytesPerSecond: 3350 * GB,
    flopsPerSecond: 67 * TFLOPS,
    source: 'NVIDIA H100 Tensor Core GPU, data sheet',
  },
  {
    name: 'NVIDIA H200 SXM',
    architecture: 'sm_90',
    multiprocessors: 132,
    bytesPerSecond: 4800 * GB,
    flopsPerSecond: 67 * TFLOPS,
    source: 'NVIDIA H200 Tensor Core GPU, data sheet',
  },
  {
    name: 'NVIDIA B200',
    architecture: 'sm_100',
    multiprocessors: 148,
    bytesPerSecond: 8000 * GB,
    flopsPerSecond: 75 * TFLOPS,
    source: 'NVIDIA HGX B200, data sheet: the values of the system, divided by its 8 GPUs',
  },
  {
    name: 'NVIDIA GeForce RTX 5090',
    architecture: 'sm_120',
    multiprocessors: 170,
    bytesPerSecond: 1792 * GB,
    flopsPerSecond: 104.8 * TFLOPS,
    source: 'NVIDIA RTX Blackwell GPU Architecture, white paper',
  },
]

/**
 * Results of a multiprocessor in each clock, of the CUDA C++ Programming Guide (arithmetic instructions).
 * `special`: the units of sine, logarithm and exponential.
 */
export const resultsPerClock: Readonly<
  Record<OccupancyArchitecture, { float32: number; float64: number; special: number }>
> = {
  sm_75: { float32: 64, float64: 2, special: 16 },
  sm_80: { float32: 64, float64: 32, special: 16 },
  sm_86: { float32: 128, float64: 2, special: 16 },
  sm_87: { float32: 128, float64: 2, special: 16 },
  sm_89: { float32: 128, float64: 2, special: 16 },
  sm_90: { float32: 128, float64: 64, special: 16 },
  sm_100: { float32: 128, float64: 64, special: 16 },
  sm_120: { float32: 128, float64: 2, special: 16 },
}
