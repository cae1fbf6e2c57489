#pragma once
#error "NPP is not supported on the virtual GPU"
