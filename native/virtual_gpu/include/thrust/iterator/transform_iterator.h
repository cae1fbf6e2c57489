#pragma once
#include <opsmith/gpu/thrust_iterators.h>
#include <thrust/version.h>
