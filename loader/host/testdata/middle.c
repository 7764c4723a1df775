/* A library between a plugin and the library of stand_in.c. */
int stand_in_threads(void);

int middle_threads(void);
int middle_threads(void) { return stand_in_threads() + 1; }
