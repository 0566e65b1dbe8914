/*
 * background - see background.h. The lock protects abandoned and finished, which decide the owner
 * of the work: the loop frees finished work, the thread frees work that was abandoned before it
 * finished. The handle is a separate object, because the loop closes it while the thread may still
 * run.
 */
#include "daemons/pmcd/background.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libbase/cleanup.h"

struct background_handle {
	uv_async_t async;
	struct background *b; /* NULL: abandoned */
};

struct background {
	struct background_handle *handle;
	const struct background_ops *ops;
	void *arg;
	pthread_mutex_t lock;
	bool abandoned, finished;
};

static void background_free(struct background *b)
{
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static void *background_run(void *arg)
{
	struct background *b = arg;
	bool abandoned;

	b->ops->work(b->arg);
	pthread_mutex_lock(&b->lock);
	abandoned = b->abandoned;
	b->finished = true;
	if (!abandoned)
		uv_async_send(&b->handle->async);
	pthread_mutex_unlock(&b->lock);
	if (abandoned) {
		b->ops->drop(b->arg);
		background_free(b);
	}
	return NULL;
}

static void background_handle_closed(uv_handle_t *handle)
{
	free(CONTAINER_OF((uv_async_t *)handle, struct background_handle, async));
}

static void finished(uv_async_t *async)
{
	struct background_handle *handle = CONTAINER_OF(async, struct background_handle, async);
	struct background *b = handle->b;

	if (b == NULL)
		return;
	/* The thread may not have let the lock go yet. */
	pthread_mutex_lock(&b->lock);
	pthread_mutex_unlock(&b->lock);
	handle->b = NULL;
	uv_close((uv_handle_t *)async, background_handle_closed);
	b->ops->done(b->arg);
	background_free(b);
}

static int background_start_thread(struct background *b)
{
	pthread_attr_t attr;
	pthread_t thread;
	int r = pthread_attr_init(&attr);

	if (r != 0)
		return -r;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, background_run, b);
	pthread_attr_destroy(&attr);
	return -r;
}

int background_start(uv_loop_t *loop, const struct background_ops *ops, void *arg,
		     struct background **ret_background)
{
	AUTO_FREE struct background *b = calloc(1, sizeof(*b));
	AUTO_FREE struct background_handle *handle = calloc(1, sizeof(*handle));
	int r;

	if (b == NULL || handle == NULL)
		return -ENOMEM;
	r = uv_async_init(loop, &handle->async, finished);
	if (r < 0)
		return r;
	b->handle = handle;
	b->ops = ops;
	b->arg = arg;
	pthread_mutex_init(&b->lock, NULL);
	handle->b = b;
	r = background_start_thread(b);
	if (r < 0) {
		pthread_mutex_destroy(&b->lock);
		handle->b = NULL;
		uv_close((uv_handle_t *)&TAKE(handle)->async, background_handle_closed);
		return r;
	}
	*ret_background = b;
	(void)TAKE(handle);
	(void)TAKE(b);
	return 0;
}

void background_abandon(struct background *b)
{
	struct background_handle *handle;
	bool over;

	if (b == NULL)
		return;
	handle = b->handle;
	pthread_mutex_lock(&b->lock);
	b->abandoned = true;
	over = b->finished;
	pthread_mutex_unlock(&b->lock);
	handle->b = NULL;
	uv_close((uv_handle_t *)&handle->async, background_handle_closed);
	if (over) {
		b->ops->drop(b->arg);
		background_free(b);
	}
}
