/* result - see result.h. */
#include "libwire/result.h"
