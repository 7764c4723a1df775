/* Stands in for a library that plugins need; its file is named as an OpenMP runtime is. */
int stand_in_threads(void);
int stand_in_threads(void) { return 7; }
