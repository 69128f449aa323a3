#pragma once

/* A server that takes any number of connections and answers late: HTTP/1.1 on 127.0.0.1, one thread.
   `/held` is answered after so many milliseconds, `/now` at once, `/accepted` at once with the number of connections so far.
   Returns only after a failure, with errno set. */
int holding_serve(int port, int milliseconds);
