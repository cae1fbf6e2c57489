#pragma once
#error "the pipeline primitives are not supported on the virtual GPU"
