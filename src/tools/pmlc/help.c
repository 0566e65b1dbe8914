/* help - see help.h. */
#include "tools/pmlc/help.h"

#include <stdio.h>

static const char text[] =
    "pmlc commands\n"
    "\n"
    "  show loggers [@<host>]             display <pid>s of running pmloggers\n"
    "  connect _logger_id [@<host>]       connect to designated pmlogger\n"
    "  status                             information about connected pmlogger\n"
    "  query metric-list                  show logging state of metrics\n"
    "  new volume                         start a new log volume\n"
    "  disconnect                         disconnect from pmlogger\n"
    "\n"
    "  log { mandatory | advisory } on <interval> _metric-list\n"
    "  log { mandatory | advisory } off _metric-list\n"
    "  log mandatory maybe _metric-list\n"
    "\n"
    "  timezone local|logger|'<timezone>' change reporting timezone\n"
    "  help                               print this help message\n"
    "  sleep <n>                          pause for <n> milliseconds\n"
    "  quit                               exit from pmlc\n"
    "\n"
    "  _logger_id   is  primary | <pid> | port <n>\n"
    "  _metric-list is  _metric-spec | { _metric-spec ... }\n"
    "  _metric-spec is  <metric-name> | <metric-name> [ <instance> ... ]\n"
    "\n";

void help_print(void)
{
	fputs(text, stdout);
}
