#pragma once

/* How often the calling thread has asked for memory since it began, whatever library did so. */
long allocations_count(void);

/* How many bytes of malloc's the process has in use. */
long bytes_in_use(void);
