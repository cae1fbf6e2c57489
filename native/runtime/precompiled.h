// What nearly every source of the runtime includes; never included by hand.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/Tensor.h>

#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
