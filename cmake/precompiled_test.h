// What every unit test includes.
#pragma once

#include <gtest/gtest.h>

#include "cmake/precompiled_base.h"
