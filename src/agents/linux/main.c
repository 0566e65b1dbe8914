/* main - the entries of the program (main) and of the DSO (linux_init). */
#include "linux.h"

AGENT_PROGRAM(linux_agent, linux_init)
