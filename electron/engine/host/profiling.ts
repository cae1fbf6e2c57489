/**
 * For op hosts of their own in which devices are profiled. CUPTI leaves with the session, where libtorch's Kineto can do
 * that; and Kineto's warnings say why it does not start.
 */
export const profilingEnvironment = { TEARDOWN_CUPTI: '1', KINETO_LOG_LEVEL: '1' }
