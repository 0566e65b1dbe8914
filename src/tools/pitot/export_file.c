/* export_file - see export_file.h. */
#include "export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int export_file_open(FILE **ret_file, const char *path)
{
	int fd;

	*ret_file = stdout;
	if (strcmp(path, "-") == 0)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	*ret_file = fdopen(fd, "w");
	if (*ret_file != NULL)
		return 0;
	close(fd);
	return -ENOMEM;
}

int export_file_flush(FILE *file)
{
	errno = EIO;
	return fflush(file) != 0 || ferror(file) ? -errno : 0;
}

void export_file_close(FILE *file)
{
	if (file != NULL && file != stdout)
		fclose(file);
}
