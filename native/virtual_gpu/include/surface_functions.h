#pragma once
#error "surfaces are not supported on the virtual GPU"
