/* number - see number.h. */
#include "tools/archive/number.h"

bool number_less(int type, const pmAtomValue *a, const pmAtomValue *b)
{
	switch (type) {
	case PM_TYPE_32:
		return a->l < b->l;
	case PM_TYPE_U32:
		return a->ul < b->ul;
	case PM_TYPE_64:
		return a->ll < b->ll;
	case PM_TYPE_U64:
		return a->ull < b->ull;
	case PM_TYPE_FLOAT:
		return a->f < b->f;
	default:
		return a->d < b->d;
	}
}
