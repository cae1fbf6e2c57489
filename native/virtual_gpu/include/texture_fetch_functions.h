#pragma once
#error "textures are not supported on the virtual GPU"
