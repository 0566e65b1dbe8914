/* plain - a program without tracing: waits until its standard input ends. */
#include <unistd.h>

int main(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		continue;
	return 0;
}
