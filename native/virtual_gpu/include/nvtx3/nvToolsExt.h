// The same header under its newer name.
#pragma once

#include "../nvToolsExt.h"
