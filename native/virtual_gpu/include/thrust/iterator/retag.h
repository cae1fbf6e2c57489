#pragma once
#error "thrust/iterator/retag.h is not supported on the virtual GPU"
