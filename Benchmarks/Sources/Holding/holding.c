#define _GNU_SOURCE
#include "holding.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Several sockets listen on one port, because each has its own backlog and ten thousand clients connect at once. */
enum { LISTENERS = 8, HEAD = 2048, BODY = 1024, PIECE = 1 << 18 };

typedef struct {
    char head[HEAD];
    size_t length;
    uint32_t generation; /* distinguishes connections with the same descriptor number */
    int is_open;
    uint64_t left; /* bytes of the request's body that have not arrived */
} connection;

typedef struct {
    int socket;
    uint32_t generation;
    uint64_t due;
} pending;

static struct {
    int epoll;
    uint64_t delay;
    long accepted;
    connection **connections; /* by descriptor */
    size_t limit;
    pending *queue; /* a ring: all have the same delay, so the first one is due first */
    size_t first, count, room;
} server;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int listen_once(int port, int shares) {
    int one = 1;
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (socket_ < 0) return -1;
    setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (shares) setsockopt(socket_, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    if (bind(socket_, (struct sockaddr *)&address, sizeof address) < 0 || listen(socket_, 65535) < 0) return -1;
    return socket_;
}

static void watch(int socket_) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = socket_};
    epoll_ctl(server.epoll, EPOLL_CTL_ADD, socket_, &event);
}

static void drop(int socket_) {
    server.connections[socket_]->is_open = 0;
    close(socket_);
}

static void answer(int socket_, const char *body, size_t length) {
    static char message[BODY + 256];
    int head = snprintf(message, 256, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n", length);
    memcpy(message + head, body, length);
    /* A kilobyte fits into the socket's buffer, unless the peer has left. */
    if (send(socket_, message, (size_t)head + length, MSG_NOSIGNAL) != (ssize_t)((size_t)head + length)) drop(socket_);
}

static void answer_kilobyte(int socket_) {
    static char body[BODY];
    memset(body, 'h', BODY);
    answer(socket_, body, BODY);
}

static void hold(int socket_) {
    if (server.count == server.room) {
        size_t room = server.room * 2 + 1024;
        pending *queue = malloc(room * sizeof *queue);
        if (queue == NULL) abort();
        for (size_t index = 0; index < server.count; index++) queue[index] = server.queue[(server.first + index) % server.room];
        free(server.queue);
        server.queue = queue;
        server.first = 0;
        server.room = room;
    }
    pending *last = &server.queue[(server.first + server.count++) % server.room];
    *last = (pending){socket_, server.connections[socket_]->generation, now() + server.delay};
}

static void release(void) {
    uint64_t time = now();
    while (server.count > 0 && server.queue[server.first].due <= time) {
        pending next = server.queue[server.first];
        connection *connection_ = server.connections[next.socket];
        server.first = (server.first + 1) % server.room;
        server.count--;
        if (connection_->is_open && connection_->generation == next.generation) answer_kilobyte(next.socket);
    }
}

static void accept_all(int listener) {
    int one = 1, socket_;
    while ((socket_ = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if ((size_t)socket_ >= server.limit) {
            close(socket_);
            continue;
        }
        connection *connection_ = server.connections[socket_];
        if (connection_ == NULL) connection_ = server.connections[socket_] = calloc(1, sizeof *connection_);
        if (connection_ == NULL) abort();
        connection_->generation++;
        connection_->length = 0;
        connection_->is_open = 1;
        connection_->left = 0;
        server.accepted++;
        setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        watch(socket_);
    }
}

/* Reads a part of a body that is not kept. One read per turn, as other servers do. */
static void discard(int socket_) {
    static char piece[PIECE];
    connection *connection_ = server.connections[socket_];
    ssize_t count = recv(socket_, piece, connection_->left < PIECE ? connection_->left : PIECE, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        drop(socket_);
        return;
    }
    connection_->left -= (uint64_t)count;
    if (connection_->left == 0) answer_kilobyte(socket_);
}

/* A request whose body follows, with its length. The head may have come with the body's first bytes. */
static void begin_body(int socket_, size_t length) {
    static const char next[] = "HTTP/1.1 100 Continue\r\n\r\n";
    connection *connection_ = server.connections[socket_];
    const char *head = connection_->head;
    const char *field = strcasestr(head, "\r\ncontent-length:");
    uint64_t come = length - (size_t)(strstr(head, "\r\n\r\n") + 4 - head);
    uint64_t announced = field == NULL ? 0 : strtoull(field + 17, NULL, 10);
    if (announced < come) {
        drop(socket_);
        return;
    }
    if (strcasestr(head, "\r\nexpect:") != NULL) send(socket_, next, sizeof next - 1, MSG_NOSIGNAL);
    connection_->left = announced - come;
    if (connection_->left == 0) answer_kilobyte(socket_);
}

static void serve(int socket_) {
    connection *connection_ = server.connections[socket_];
    if (connection_->left > 0) {
        discard(socket_);
        return;
    }
    ssize_t count = recv(socket_, connection_->head + connection_->length, HEAD - 1 - connection_->length, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        drop(socket_);
        return;
    }
    connection_->length += (size_t)count;
    connection_->head[connection_->length] = 0;
    if (strstr(connection_->head, "\r\n\r\n") == NULL) {
        if (connection_->length == HEAD - 1) drop(socket_);
        return;
    }
    size_t length = connection_->length;
    connection_->length = 0;
    if (strncmp(connection_->head, "PUT /sink", 9) == 0) begin_body(socket_, length);
    else if (strncmp(connection_->head, "GET /held", 9) == 0) hold(socket_);
    else if (strncmp(connection_->head, "GET /accepted", 13) == 0) {
        char text[32];
        int length = snprintf(text, sizeof text, "%ld\n", server.accepted);
        answer(socket_, text, (size_t)length);
    } else answer_kilobyte(socket_);
}

static int milliseconds_to_wait(void) {
    if (server.count == 0) return -1;
    uint64_t due = server.queue[server.first].due, time = now();
    return due <= time ? 0 : (int)((due - time + 999999u) / 1000000u);
}

int holding_serve(int port, int milliseconds) {
    struct epoll_event events[512];
    struct rlimit limit;
    int listeners[LISTENERS];
    getrlimit(RLIMIT_NOFILE, &limit);
    server.limit = limit.rlim_cur > 1 << 20 ? 1 << 20 : limit.rlim_cur;
    server.connections = calloc(server.limit, sizeof *server.connections);
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    server.delay = (uint64_t)milliseconds * 1000000u;
    if (server.connections == NULL || server.epoll < 0) return -1;
    /* Checks first that the port is free: sockets with SO_REUSEPORT would share it with another process. */
    int probe = listen_once(port, 0);
    if (probe < 0 || close(probe) < 0) return -1;
    for (int index = 0; index < LISTENERS; index++) {
        if ((listeners[index] = listen_once(port, 1)) < 0) return -1;
        watch(listeners[index]);
    }
    for (;;) {
        int count = epoll_wait(server.epoll, events, 512, milliseconds_to_wait());
        if (count < 0 && errno != EINTR) return -1;
        for (int index = 0; index < count; index++) {
            int socket_ = events[index].data.fd;
            if (socket_ <= listeners[LISTENERS - 1]) accept_all(socket_);
            else serve(socket_);
        }
        release();
    }
}
