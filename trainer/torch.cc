// Carries the precompiled header: a target must have a source to build one.
#include "trainer/torch.h"
