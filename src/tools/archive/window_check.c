/* window_check - see window.h: apart, for tools that say it in their own way. */
#include "libdisk/log_label.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/source.h"

bool window_misses(const struct window *window, const struct recording *r)
{
	return source_window_misses(window->start, window->finish, r->label->start, r->end);
}
