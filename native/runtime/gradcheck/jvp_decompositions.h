// Forward mode through the backward operators that libtorch differentiates in Python only.
#pragma once

namespace opsmith {

// libtorch has no forward-mode formula for the backward of softmax, log_softmax, nll_loss,
// layer_norm and batch_norm. It looks for a decomposition into operators that have one, and those
// it ships are Python's, registered there when forward mode is first used. This registers our own,
// for the same operators, on its first call; later ones cost nothing.
void register_jvp_decompositions();

}  // namespace opsmith
