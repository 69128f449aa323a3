#pragma once

/* How often the calling thread has asked for memory since it began, whatever library did so. */
long allocations_count(void);
