/*
 * config.h - answers of a POSIX.1-2008 system with the common Linux additions to the questions
 * that sources written for PCP ask before they use a header or a function.
 *
 * Nothing in our own headers depends on it.
 */
#ifndef PCP_CONFIG_H
#define PCP_CONFIG_H

#define IS_LINUX            1
#define STDC_HEADERS        1
#define TIME_WITH_SYS_TIME  1
#define GWINSZ_IN_SYS_IOCTL 1
#define RETSIGTYPE          void
#define strtoint64          strtoll
#define strtouint64         strtoull

/* headers */
#define HAVE_ARPA_INET_H    1
#define HAVE_DIRENT_H       1
#define HAVE_DLFCN_H        1
#define HAVE_ENDIAN_H       1
#define HAVE_FCNTL_H        1
#define HAVE_GRP_H          1
#define HAVE_INTTYPES_H     1
#define HAVE_LIBGEN_H       1
#define HAVE_LIMITS_H       1
#define HAVE_MALLOC_H       1
#define HAVE_MATH_H         1
#define HAVE_NETDB_H        1
#define HAVE_NETINET_IN_H   1
#define HAVE_NETINET_TCP_H  1
#define HAVE_NET_IF_H       1
#define HAVE_POLL_H         1
#define HAVE_PTHREAD_H      1
#define HAVE_PWD_H          1
#define HAVE_REGEX_H        1
#define HAVE_SCHED_H        1
#define HAVE_STDDEF_H       1
#define HAVE_STDINT_H       1
#define HAVE_STDLIB_H       1
#define HAVE_STRINGS_H      1
#define HAVE_STRING_H       1
#define HAVE_SYSLOG_H       1
#define HAVE_SYS_IOCTL_H    1
#define HAVE_SYS_MMAN_H     1
#define HAVE_SYS_MOUNT_H    1
#define HAVE_SYS_PRCTL_H    1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_SELECT_H   1
#define HAVE_SYS_SOCKET_H   1
#define HAVE_SYS_STATFS_H   1
#define HAVE_SYS_STATVFS_H  1
#define HAVE_SYS_STAT_H     1
#define HAVE_SYS_SYSINFO_H  1
#define HAVE_SYS_TERMIOS_H  1
#define HAVE_SYS_TIMES_H    1
#define HAVE_SYS_TYPES_H    1
#define HAVE_SYS_UN_H       1
#define HAVE_SYS_WAIT_H     1
#define HAVE_TERMIOS_H      1
#define HAVE_UNISTD_H       1

/* functions, types and habits */
#define HAVE_AI_ADDRCONFIG        1
#define HAVE_ATEXIT               1
#define HAVE_BASENAME             1
#define HAVE_CAST_U64_DOUBLE      1
#define HAVE_CHOWN                1
#define HAVE_CLOCK_GETTIME        1
#define HAVE_CONST_DIRENT         1
#define HAVE_CONST_LONGLONG       1
#define HAVE_DIRENT_D_OFF         1
#define HAVE_DIRNAME              1
#define HAVE_DLOPEN               1
#define HAVE_FCHMOD               1
#define HAVE_FCHOWN               1
#define HAVE_FCNTL                1
#define HAVE_FPCLASSIFY           1
#define HAVE_GETCWD               1
#define HAVE_GETDOMAINNAME        1
#define HAVE_GETGID               1
#define HAVE_GETGRENT             1
#define HAVE_GETGRENT_R           1
#define HAVE_GETGRGID             1
#define HAVE_GETGRGID_R           1
#define HAVE_GETGRNAM             1
#define HAVE_GETGRNAM_R           1
#define HAVE_GETHOSTNAME          1
#define HAVE_GETPWENT             1
#define HAVE_GETPWENT_R           1
#define HAVE_GETPWNAM             1
#define HAVE_GETPWNAM_R           1
#define HAVE_GETPWUID             1
#define HAVE_GETPWUID_R           1
#define HAVE_GETRUSAGE            1
#define HAVE_GETUID               1
#define HAVE_GID_T                1
#define HAVE_IOCTL                1
#define HAVE_KILL                 1
#define HAVE_MEMALIGN             1
#define HAVE_MKSTEMP              1
#define HAVE_MKTIME               1
#define HAVE_NANOSLEEP            1
#define HAVE_PIPE2                1
#define HAVE_POSIX_MEMALIGN       1
#define HAVE_POW                  1
#define HAVE_PRCTL                1
#define HAVE_PRINTF_P_PFX         1
#define HAVE_PR_SET_PDEATHSIG     1
#define HAVE_PTHREAD_BARRIER_T    1
#define HAVE_PTHREAD_MUTEX_T      1
#define HAVE_PTRDIFF_T            1
#define HAVE_RECVMSG              1
#define HAVE_REGCOMP              1
#define HAVE_REGEXEC              1
#define HAVE_SA_SIGINFO           1
#define HAVE_SCANDIR              1
#define HAVE_SELECT               1
#define HAVE_SENDMSG              1
#define HAVE_SETLINEBUF           1
#define HAVE_SETNS                1
#define HAVE_SIGBUS               1
#define HAVE_SIGHOLD              1
#define HAVE_SIGHUP               1
#define HAVE_SIGNAL               1
#define HAVE_SIGPIPE              1
#define HAVE_SIGRELSE             1
#define HAVE_SOCKET               1
#define HAVE_SOCKLEN_T            1
#define HAVE_STAT_TIMESPEC        1
#define HAVE_STRCHRNUL            1
#define HAVE_STRERROR_R_PTR       1
#define HAVE_STRFTIME_z           1
#define HAVE_STRNDUP              1
#define HAVE_STRTOD               1
#define HAVE_STRTOL               1
#define HAVE_STRTOLL              1
#define HAVE_STRTOULL             1
#define HAVE_STRUCT_SOCKADDR_UN   1
#define HAVE_STRUCT_TIMESPEC      1
#define HAVE_STRUCT_UCRED         1
#define HAVE_SYSINFO              1
#define HAVE_SYSLOG               1
#define HAVE_TCGETATTR            1
#define HAVE_UID_T                1
#define HAVE_UNAME                1
#define HAVE_UNSETENV             1
#define HAVE_USLEEP               1
#define HAVE_VALLOC               1
#define HAVE_VPRINTF              1
#define HAVE_WAIT3                1
#define HAVE_WAITPID              1
#define HAVE_WAIT_INCLUDES_SIGNAL 1
#define HAVE___CLONE              1
#define HAVE___THREAD             1

/* the linker defines where the program's text is */
#define HAVE___EXECUTABLE_START 1
#define HAVE___ETEXT            1
#define HAVE__ETEXT             1
#define HAVE_ETEXT              1

#endif
