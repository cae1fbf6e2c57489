#pragma once
#include <opsmith/gpu/thrust_policy.h>
#include <thrust/version.h>
