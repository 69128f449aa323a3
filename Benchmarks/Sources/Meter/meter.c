#define _GNU_SOURCE
#include "meter.h"

#include <dirent.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t started, stopped;
static double cpu_started, cpu_stopped;

uint64_t meter_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Processor time of the clients' I/O threads, which are identified by their names. */
enum { MOST_LOOPS = 64 };
typedef struct {
    long thread;
    double seconds;
} loop_time;
static loop_time loops_started[MOST_LOOPS];
static int loops;
static double busiest = -1;

static int read_text(const char *directory, const char *thread, const char *name, char *text, int size) {
    char path[320];
    snprintf(path, sizeof path, "%s/%s/%s", directory, thread, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    int read = fgets(text, size, file) != NULL;
    fclose(file);
    return read;
}

static int read_loops(loop_time *times) {
    static const char directory[] = "/proc/self/task";
    int count = 0;
    DIR *tasks = opendir(directory);
    if (tasks == NULL) return 0;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL && count < MOST_LOOPS;) {
        char name[64], times_text[128];
        if (entry->d_name[0] == '.' || !read_text(directory, entry->d_name, "comm", name, sizeof name)) continue;
        if (strncmp(name, "NetworkerKit", 12) != 0 && strncmp(name, "NIO-ELT", 7) != 0) continue;
        if (!read_text(directory, entry->d_name, "schedstat", times_text, sizeof times_text)) continue;
        times[count++] = (loop_time){atol(entry->d_name), (double)strtoull(times_text, NULL, 10) / 1e9};
    }
    closedir(tasks);
    return count;
}

static void find_busiest(void) {
    loop_time now[MOST_LOOPS];
    int count = read_loops(now);
    for (int i = 0; i < count; i++) {
        double seconds = now[i].seconds;
        for (int j = 0; j < loops; j++)
            if (loops_started[j].thread == now[i].thread) seconds -= loops_started[j].seconds;
        if (seconds > busiest) busiest = seconds;
    }
}

void meter_start(void) {
    loops = read_loops(loops_started);
    cpu_started = cpu_seconds();
    started = meter_now();
}

void meter_stop(void) {
    stopped = meter_now();
    cpu_stopped = cpu_seconds();
    find_busiest();
}

/* Not getrusage's figure, which survives exec and would include the parent's memory. */
static long peak_bytes(void) {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return 0;
    while (fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %ld kB", &kib) == 1) break;
    fclose(status);
    return kib * 1024;
}

void meter_prepare_process(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* SIGALRM ends a client that hangs. */
    alarm(3600);
}

static void fail(const char *what, const char *value) {
    fprintf(stderr, "bench: %s: \"%s\"\n", what, value == NULL ? "" : value);
    exit(2);
}

void meter_give_up(const char *failure) {
    fprintf(stderr, "bench: no request before the measurement was answered: %s\n", failure);
    exit(1);
}

static long number(const char *name, const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == 0 || *end != 0 || value < 0) fail(name, text);
    return value;
}

meter_options meter_parse(int argc, char **argv) {
    static const struct option names[] = {
        {"client", 1, NULL, 'c'},  {"scenario", 1, NULL, 's'}, {"base", 1, NULL, 'b'},    {"path", 1, NULL, 'p'},
        {"warm-path", 1, NULL, 'P'}, {"ca", 1, NULL, 'a'},     {"decode", 1, NULL, 'd'},  {"count", 1, NULL, 'n'},
        {"warm", 1, NULL, 'w'},    {"at-once", 1, NULL, 'o'},  {"host-limit", 1, NULL, 'l'}, {"streams", 1, NULL, 't'},
        {"socket-action", 0, NULL, 'e'}, {"executor", 0, NULL, 'x'}, {"as-kit", 0, NULL, 'k'},
        {"channels", 1, NULL, 'C'}, {"loops", 1, NULL, 'L'},    {"neighbour", 1, NULL, 'N'}, {"apart", 0, NULL, 'A'},
        {"stream", 1, NULL, 'S'},  {"bytes", 1, NULL, 'B'},    {"file", 1, NULL, 'F'},    {NULL, 0, NULL, 0}};
    meter_options options = {.client = "", .scenario = "", .base = "", .path = "/", .warm_path = "/", .decode = "body",
                             .at_once = 1, .channels = 1, .stream = "", .file = ""};
    int name;
    while ((name = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (name) {
        case 'c': options.client = optarg; break;
        case 's': options.scenario = optarg; break;
        case 'b': options.base = optarg; break;
        case 'p': options.path = optarg; break;
        case 'P': options.warm_path = optarg; break;
        case 'a': options.ca = optarg; break;
        case 'd': options.decode = optarg; break;
        case 'n': options.count = number("--count", optarg); break;
        case 'w': options.warm = number("--warm", optarg); break;
        case 'o': options.at_once = number("--at-once", optarg); break;
        case 'l': options.host_limit = number("--host-limit", optarg); break;
        case 't': options.streams = number("--streams", optarg); break;
        case 'e': options.socket_action = 1; break;
        case 'x': options.executor = 1; break;
        case 'C': options.channels = number("--channels", optarg); break;
        case 'L': options.loops = number("--loops", optarg); break;
        case 'N': options.neighbour = optarg; break;
        case 'A': options.apart = 1; break;
        case 'k': options.as_kit = 1; break;
        case 'S': options.stream = optarg; break;
        case 'B': options.bytes = number("--bytes", optarg); break;
        case 'F': options.file = optarg; break;
        default: exit(2);
        }
    }
    if (options.count < 1) fail("--count is not a number of requests", "");
    if (options.at_once < 1) fail("--at-once is not a number of requests", "");
    if (options.base[0] == 0) fail("--base is missing", "");
    meter_prepare_process();
    return options;
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static double microseconds(const uint64_t *sorted, long count, double part) {
    if (count == 0) return 0;
    return (double)sorted[(long)((double)(count - 1) * part)] / 1e3;
}

/* A failure's text may contain any bytes; the ones that JSON must escape are dropped. */
static void print_text(const char *text) {
    for (int left = 160; *text != 0 && left > 0; text++, left--)
        if (*text >= ' ' && *text != '"' && *text != '\\') putchar(*text);
}

void meter_print(const meter_options *options, uint64_t *latencies, long completed, long connections, const char *failure) {
    long peak = peak_bytes();
    double wall = (double)(stopped - started) / 1e9;
    qsort(latencies, (size_t)completed, sizeof *latencies, ascending);
    printf("{\"client\":\"%s\",\"scenario\":\"%s\",\"requested\":%ld,\"completed\":%ld,\"failed\":%ld,\"atOnce\":%ld,",
           options->client, options->scenario, options->count, completed, options->count - completed, options->at_once);
    printf("\"wall\":%.6f,\"requestsPerSecond\":%.2f,\"cpu\":%.6f,", wall, (double)completed / wall, cpu_stopped - cpu_started);
    printf("\"p50\":%.2f,\"p99\":%.2f,\"peak\":%ld", microseconds(latencies, completed, 0.5),
           microseconds(latencies, completed, 0.99), peak);
    if (busiest >= 0) printf(",\"busiest\":%.6f", busiest);
    if (connections >= 0) printf(",\"connections\":%ld", connections);
    if (failure != NULL) {
        printf(",\"failure\":\"");
        print_text(failure);
        printf("\"");
    }
    printf("}\n");
    fflush(stdout);
}
