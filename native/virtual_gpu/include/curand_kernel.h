#pragma once
#include <opsmith/gpu/random.h>
