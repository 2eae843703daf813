/* Ends a program that opens a socket to a network; one that is started with LD_PRELOAD. Sockets within the machine (AF_UNIX) are let through. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int socket(int domain, int type, int protocol) {
    if (domain == AF_INET || domain == AF_INET6) {
        static const char said[] = "a socket to a network was opened\n";
        if (write(2, said, sizeof said - 1) < 0) {
            _exit(99);
        }
        abort();
    }
    return (int)syscall(SYS_socket, domain, type, protocol);
}
