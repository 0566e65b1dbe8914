/*
 * current - the contexts of the process, the current one, their lock, and the texts of codes.
 *
 * A context is never freed, as its number stays valid.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "libbase/cleanup.h"
#include "libpcp_import/import.h"

enum { GROW_MIN = 8 };

/* Room grows at powers of two: the number of elements says when. */
int import_grow(void *array, size_t n, size_t size)
{
	void **p = array;
	void *more;

	if (n >= GROW_MIN && (n & (n - 1)) != 0)
		return 0;
	if (n != 0 && n < GROW_MIN)
		return 0;
	more = reallocarray(*p, n == 0 ? GROW_MIN : 2 * n, size);
	if (more == NULL)
		return -ENOMEM;
	*p = more;
	return 0;
}

/* ---- the contexts ---- */

static pthread_mutex_t import_lock = PTHREAD_MUTEX_INITIALIZER;
/* Under import_lock. */
static struct import **contexts;
static size_t ncontexts;
static size_t current_index;

struct import *import_enter(void)
{
	pthread_mutex_lock(&import_lock);
	return ncontexts > 0 ? contexts[current_index] : NULL;
}

void import_unlock(void)
{
	pthread_mutex_unlock(&import_lock);
}

int import_leave(struct import *c, int code)
{
	if (c == NULL)
		code = PM_ERR_NOCONTEXT;
	else
		c->last_code = code > 0 ? 0 : code;
	import_unlock();
	return code;
}

size_t import_counts(size_t *ret_current)
{
	*ret_current = current_index;
	return ncontexts;
}

int import_adopt(struct import *c)
{
	if (import_grow(&contexts, ncontexts, sizeof(struct import *)) != 0)
		return -ENOMEM;
	current_index = ncontexts;
	contexts[ncontexts++] = c;
	return (int)ncontexts;
}

struct import *import_use(int number)
{
	if (number < 1 || (size_t)number > ncontexts)
		return NULL;
	current_index = (size_t)number - 1;
	return contexts[current_index];
}

/* ---- texts ---- */

static const struct {
	int code;
	const char *text;
} errors[] = {
    {PMI_ERR_DUPMETRICNAME, "Metric name already defined"},
    {PMI_ERR_DUPMETRICID, "Metric pmID already defined"},
    {PMI_ERR_DUPINSTNAME, "External instance name already defined"},
    {PMI_ERR_DUPINSTID, "Internal instance identifer already defined"},
    {PMI_ERR_INSTNOTNULL, "Null instance expected for a singular metric"},
    {PMI_ERR_INSTNULL, "Null instance not allowed for a non-singular metric"},
    {PMI_ERR_BADHANDLE, "Illegal handle"},
    {PMI_ERR_DUPVALUE, "Value already assigned for this metric-instance"},
    {PMI_ERR_BADTYPE, "Illegal metric type"},
    {PMI_ERR_BADSEM, "Illegal metric semantics"},
    {PMI_ERR_NODATA, "No data to output"},
    {PMI_ERR_BADMETRICNAME, "Illegal metric name"},
    {PMI_ERR_BADTIMESTAMP, "Illegal result timestamp"},
    {PMI_ERR_BADTEXTTYPE, "Illegal text type"},
    {PMI_ERR_BADTEXTCLASS, "Illegal text class"},
    {PMI_ERR_BADTEXTID, "Illegal text identifier"},
    {PMI_ERR_EMPTYTEXTCONTENT, "Text is empty"},
    {PMI_ERR_DUPTEXT, "Help text already exists"},
    {PMI_ERR_BADLABELTYPE, "Illegal label type"},
    {PMI_ERR_BADLABELID, "Illegal label identifier"},
    {PMI_ERR_BADLABELINSTANCE, "Illegal label instance"},
    {PMI_ERR_EMPTYLABELNAME, "Label name is empty"},
    {PMI_ERR_EMPTYLABELVALUE, "Label value is empty"},
    {PMI_ERR_ADDLABELERROR, "Error adding label"},
    {PMI_ERR_BADVERSION, "Illegal log version"},
};

/* Other codes are those of libpcp; 0 has a text of its own. */
static char *error_text(int code, char *buf, size_t len)
{
	char other[PMI_MAXERRMSGLEN];
	const char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		if (errors[i].code == code)
			text = errors[i].text;
	}
	if (code == 0)
		text = "No error";
	if (text == NULL)
		text = pmErrStr_r(code, other, sizeof(other));
	if (len > 0)
		snprintf(buf, len, "%s", text);
	return buf;
}

char *pmiErrStr_r(int code, char *buf, int buflen)
{
	struct import *c;

	if (code == -1) {
		c = import_enter();
		if (c != NULL)
			code = c->last_code;
		import_unlock();
	}
	return error_text(code, buf, buflen > 0 ? (size_t)buflen : 0);
}

const char *pmiErrStr(int code)
{
	static _Thread_local char text[PMI_MAXERRMSGLEN];

	return pmiErrStr_r(code, text, sizeof(text));
}
