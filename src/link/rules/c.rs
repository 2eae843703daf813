//! C and C++.

use super::LanguageRules;
use crate::model::{BuiltinSet, Family};

pub(super) static RULES: LanguageRules = LanguageRules {
    family: Family::C,
    has_includes: true,
    proves_external: true,
    predeclared: &PREDECLARED,
    constructs_by_call: true,
    instance_call_method: Some("operator()"),
    index_method: Some("operator[]"),
    instances_have_static_members: true,
    stars_bind: true,
    ..LanguageRules::PLAIN
};

/// Functions of the standard library and of POSIX that code calls most, and types of the language.
static PREDECLARED: BuiltinSet = BuiltinSet::new(
    "C: predeclared",
    "abort abs accept access alarm alloca asctime assert atexit atof atoi atol atoll bind bsearch calloc chdir \
     chmod chown clock clock_gettime close closedir connect dup dup2 errno execl execv execve execvp exit _exit \
     exp fabs fclose fcntl fdatasync fdopen feof ferror fflush fgetc fgets fileno floor ceil fmod fopen fork \
     fprintf fputc fputs fread free freeaddrinfo freopen fscanf fseek fseeko fstat fsync ftell ftello ftruncate \
     fwrite gai_strerror getaddrinfo getc getchar getcwd getenv gethostname getnameinfo getopt getopt_long \
     getpeername getpid getppid getrlimit getrusage getsockname getsockopt gettimeofday getuid gmtime gmtime_r \
     htonl htons inet_ntop inet_pton ioctl isalnum isalpha isatty iscntrl isdigit isinf isnan isprint ispunct \
     isspace isupper islower isxdigit kill labs listen llabs localtime localtime_r log log10 log2 longjmp lseek \
     lstat malloc memchr memcmp memcpy memmem memmove memset mkdir mkstemp mktime mlock mmap mprotect msync \
     munmap nanosleep ntohl ntohs open opendir pclose perror pipe poll popen posix_memalign pow printf \
     pthread_cond_broadcast pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_cond_timedwait \
     pthread_cond_wait pthread_create pthread_detach pthread_join pthread_mutex_destroy pthread_mutex_init \
     pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_self putc putchar puts qsort raise \
     rand random read readdir readlink realloc realpath recv recvfrom recvmsg remove rename rewind rmdir round \
     scanf select send sendmsg sendto setbuf setenv setlocale setrlimit setsid setsockopt setvbuf shutdown \
     sigaction sigaddset sigemptyset siglongjmp signal sigprocmask sigsetjmp sleep snprintf socket socketpair \
     sprintf sqrt srand srandom sscanf stat strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup \
     strerror strftime strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strsignal \
     strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull symlink sysconf syslog \
     system time times tolower toupper truncate umask uname ungetc unlink unsetenv usleep utimes va_copy \
     vfprintf vprintf vsnprintf vsprintf wait waitpid write writev static_assert \
     _Static_assert __builtin_unreachable __builtin_prefetch __sync_synchronize \
     __sync_add_and_fetch __sync_fetch_and_add __builtin_clz __builtin_clzll __builtin_ctzll \
     __builtin_popcountll __builtin_types_compatible_p",
);
