#pragma once
#include <opsmith/gpu/thrust_functional.h>
#include <thrust/version.h>
