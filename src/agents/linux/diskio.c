#include "diskio.h"

static uint64_t sum(uint64_t a, uint64_t b)
{
	if (a == UINT64_MAX)
		return b;
	return b == UINT64_MAX ? a : a + b;
}

static uint64_t kbytes(uint64_t sectors)
{
	return sectors == UINT64_MAX ? sectors : sectors / 2;
}

void io_compute(struct io *io)
{
	io->total = sum(io->column[READ], io->column[WRITE]);
	io->blktotal = sum(io->column[BLKREAD], io->column[BLKWRITE]);
	io->read_kb = kbytes(io->column[BLKREAD]);
	io->write_kb = kbytes(io->column[BLKWRITE]);
	io->total_kb = kbytes(io->blktotal);
	io->discard_kb = kbytes(io->column[BLKDISCARD]);
	io->total_ms = sum(io->column[READ_MS], io->column[WRITE_MS]);
}

void io_read(struct scan *s, struct io *io)
{
	int n = scan_u64s(s, io->column, NCOLUMNS);

	if (n == 4) {
		io->column[BLKWRITE] = io->column[READ_MS];
		io->column[WRITE] = io->column[BLKREAD];
		io->column[BLKREAD] = io->column[READ_MERGE];
		io->column[READ_MERGE] = UINT64_MAX;
		io->column[READ_MS] = UINT64_MAX;
	}
	io_compute(io);
}

void io_add(struct io *all, const struct io *io)
{
	for (int i = 0; i < NCOLUMNS; i++)
		all->column[i] = sum(all->column[i], io->column[i]);
}
