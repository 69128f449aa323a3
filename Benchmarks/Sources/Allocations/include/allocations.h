#pragma once

/* How many allocations the calling thread has made since it began, in all libraries. */
long allocations_count(void);

/* How many bytes of malloc the process has in use. */
long bytes_in_use(void);
