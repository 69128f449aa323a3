#include "client.h"

long raw_begin(raw_client *client) {
    raw_transfer *transfer = client->spare[--client->spare_count];
    raw_add(client, transfer);
    return transfer - client->transfers;
}

void raw_perform(raw_client *client) {
    int running;
    curl_multi_perform(client->multi, &running);
}

int raw_next(raw_client *client, raw_call *call) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        raw_transfer *transfer = NULL;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        transfer->code = message->data.result;
        raw_take(client, transfer);
        raw_drop(client, transfer);
        client->spare[client->spare_count++] = transfer;
        long status = transfer->code == CURLE_OK ? transfer->status : 0;
        *call = (raw_call){transfer - client->transfers, status, transfer->body, transfer->length};
        return 1;
    }
    return 0;
}

void raw_sleep(raw_client *client) { curl_multi_poll(client->multi, NULL, 0, 1000, NULL); }

void raw_wake(raw_client *client) { curl_multi_wakeup(client->multi); }
