/* table_file - see family_table.h. */
#include "libtrace/family_table.h"

#include "libtrace/sys.h"

enum {
	GROW_STEP = 16384,
};

/* Opens the file by its name: a descriptor, -ENOENT, -EINVAL; and its status. */
static int file_open(const struct table_file *t, struct stat *ret_stat)
{
	char name[DIR_NAME];
	size_t size;
	int dir = registry_dir_open(t->uid, false);
	int fd;

	if (dir < 0)
		return dir;
	registry_dir_family(name, t->kind, t->id);
	fd = registry_dir_file(dir, name, t->uid, &size);
	sys_close(dir);
	if (fd >= 0 && sys_fstat(fd, ret_stat) < 0) {
		sys_close(fd);
		return -EINVAL;
	}
	return fd;
}

static size_t usable(const struct table_file *t, off_t size)
{
	return size < 0 ? 0 : (size_t)size > t->max ? t->max : (size_t)size;
}

static void reached_raise(struct table_file *t, size_t bytes)
{
	size_t old = atomic_load(&t->reached);

	while (old < bytes && !atomic_compare_exchange_weak(&t->reached, &old, bytes))
		;
}

/* Maps or reads the file: 0, -EINVAL, -ENOMEM. */
static int table_file_take(struct table_file *t, int fd, const struct stat *st)
{
	size_t bytes = usable(t, st->st_size);
	struct table_head *base;

	if (bytes < t->first)
		return -EINVAL;
	base = t->uid != geteuid() ? sys_map_anon(t->max)
				   : sys_map(NULL, t->max, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	if (base == NULL)
		return -ENOMEM;
	t->mode = t->uid != geteuid() ? TABLE_PICTURE : TABLE_SHARED;
	if ((t->mode == TABLE_PICTURE && sys_read(fd, base, bytes) != (long)bytes) ||
	    base->magic != t->magic || base->id != t->id) {
		sys_unmap(base, t->max);
		return -EINVAL;
	}
	t->base = base;
	t->dev = st->st_dev;
	t->ino = st->st_ino;
	atomic_store(&t->reached, t->mode == TABLE_PICTURE ? t->max : bytes);
	return 0;
}

/* Makes the file: 0, -EEXIST, -errno. */
static int file_make(const struct table_file *t)
{
	struct table_head head = {t->magic, t->id};
	char name[DIR_NAME];
	int dir = registry_dir_open(t->uid, true);
	int fd, r;

	if (dir < 0)
		return dir;
	fd = registry_dir_make(dir, t->first);
	r = fd < 0 ? fd : sys_write(fd, &head, sizeof(head));
	if (r == 0) {
		registry_dir_family(name, t->kind, t->id);
		r = registry_dir_link(fd, dir, name);
	}
	sys_close(fd);
	sys_close(dir);
	return r;
}

int table_file_open(struct table_file *t, bool make)
{
	struct stat st;
	int fd, r;

	for (int try = 0; try < DIR_TRIES; try++) {
		fd = file_open(t, &st);
		if (fd >= 0) {
			r = table_file_take(t, fd, &st);
			sys_close(fd);
			return r;
		}
		if (fd != -ENOENT || !make)
			return fd;
		r = file_make(t);
		if (r < 0 && r != -EEXIST && r != -ENOENT)
			return r;
	}
	return -ENOENT;
}

int table_file_private(struct table_file *t)
{
	t->base = sys_map(NULL, t->max, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (t->base == NULL)
		return -ENOMEM;
	t->mode = TABLE_PRIVATE;
	*t->base = (struct table_head){t->magic, t->id};
	atomic_store(&t->reached, t->max);
	return 0;
}

void table_file_close(struct table_file *t)
{
	sys_unmap(t->base, t->max);
	t->base = NULL;
}

void table_file_keep_from_children(struct table_file *t)
{
	int saved = errno;

	if (t->base != NULL)
		madvise(t->base, t->max, MADV_DONTFORK);
	errno = saved;
}

/* The file may have been replaced by another of the same name: then the mapping cannot grow. */
static bool same(const struct table_file *t, const struct stat *st)
{
	return st->st_dev == t->dev && st->st_ino == t->ino;
}

bool table_file_reach(struct table_file *t, size_t end, bool grow)
{
	struct stat st;
	int fd;

	if (end <= atomic_load_explicit(&t->reached, memory_order_acquire))
		return true;
	if (end > t->max)
		return false;
	fd = file_open(t, &st);
	if (fd < 0)
		return false;
	if (same(t, &st)) {
		size_t more = (end + GROW_STEP - 1) / GROW_STEP * GROW_STEP;

		reached_raise(t, usable(t, st.st_size));
		if (grow && (size_t)st.st_size < end && registry_dir_grow(fd, more) == 0)
			reached_raise(t, usable(t, (off_t)more));
	}
	sys_close(fd);
	return end <= atomic_load(&t->reached);
}

void table_file_refresh(struct table_file *t)
{
	struct stat st;
	int fd;

	if (t->mode != TABLE_PICTURE)
		return;
	fd = file_open(t, &st);
	if (fd >= 0 && same(t, &st))
		(void)sys_read(fd, t->base, usable(t, st.st_size));
	sys_close(fd);
}
