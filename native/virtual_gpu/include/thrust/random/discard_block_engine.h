#pragma once
#error "thrust/random/discard_block_engine.h is not supported on the virtual GPU"
