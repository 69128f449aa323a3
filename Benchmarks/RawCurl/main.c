#include "meter.h"
#include "rawcurl.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    meter_options options = meter_parse(argc, argv);
    char url[512], warm_url[512];
    snprintf(url, sizeof url, "%s%s", options.base, options.path);
    snprintf(warm_url, sizeof warm_url, "%s%s", options.base, options.warm_path);
    raw_settings settings = {options.ca, options.at_once, options.host_limit, options.streams, options.socket_action,
                             options.as_kit,  options.stream[0] == 0 ? NULL : options.stream,
                             options.bytes,   options.file};
    raw_client *client = raw_make(settings);
    long room = options.count > options.warm ? options.count : options.warm;
    uint64_t *latencies = malloc((size_t)room * sizeof *latencies);
    if (client == NULL || latencies == NULL) {
        fprintf(stderr, "bench: no memory, or no libcurl\n");
        return 1;
    }
    raw_tally warm = raw_send(client, warm_url, options.warm, latencies);
    if (options.warm > 0 && warm.completed == 0) meter_give_up(warm.failure);
    meter_start();
    raw_tally tally = raw_send(client, url, options.count, latencies);
    meter_stop();
    meter_print(&options, latencies, tally.completed, warm.connections + tally.connections,
                tally.failure[0] == 0 ? NULL : tally.failure);
    raw_free(client);
    free(latencies);
    return 0;
}
