// What every unit test includes.
#pragma once

#include "cmake/precompiled_base.h"

#include <gtest/gtest.h>
