#ifndef MARTLET_CLINUX_SHIM_H
#define MARTLET_CLINUX_SHIM_H

/* What Swift's Glibc module lacks or cannot import: epoll, eventfd, and constants that are macros. */

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>

static inline uint32_t martlet_epoll_in(void) { return EPOLLIN; }
static inline uint32_t martlet_epoll_out(void) { return EPOLLOUT; }
static inline uint32_t martlet_epoll_rdhup(void) { return EPOLLRDHUP; }
static inline uint32_t martlet_epoll_hup(void) { return EPOLLHUP; }
static inline uint32_t martlet_epoll_err(void) { return EPOLLERR; }
static inline uint32_t martlet_epoll_et(void) { return EPOLLET; }


/* At most 15 bytes of the name are kept. */
static inline void martlet_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#endif
