/*
 * archive_compress - a closed data volume in less room: as .xz in blocks that a reader can unpack
 * one by one, or as .zst, which is faster made and which 6.0.3 can't read.
 *
 * It takes seconds a gigabyte and more: a process of low priority does it. At each moment there is
 * the plain file, or the compressed one, whole and durable, or both (a reader takes the plain one).
 */
#ifndef LIBSTORE_ARCHIVE_COMPRESS_H
#define LIBSTORE_ARCHIVE_COMPRESS_H

enum {
	ARCHIVE_COMPRESS_BLOCK = 4 << 20, /* bytes of a volume that are unpacked for one record */
};

enum archive_form { ARCHIVE_XZ, ARCHIVE_ZST };

/*
 * Writes PATH.new.xz, reads it again and compares, gives it its name PATH.xz and removes PATH. 0;
 * -EBUSY if another process is at it; -EEXIST if there is a PATH.xz that unpacks to something else;
 * -ENOSYS without the library; -EIO if what was written reads differently; -errno; -ENOMEM. PATH is
 * there after any failure. Killed at any point it can be called again.
 */
int archive_compress(const char *path, enum archive_form form);

/* Removes what a call left that was killed and will not be called again; nothing while another
 * process is at work on PATH. */
void archive_compress_clean(const char *path);

#endif
