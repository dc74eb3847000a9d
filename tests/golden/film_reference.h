/* Made by tests/golden/film_reference.py (numpy 1.24.2): f2 reached from the same start with Lambda
 * fixed and with Lambda brought up to date before every step. */
#define FILM_REFERENCE_FIXED 1.6562703478  /* 367 anchors active */
#define FILM_REFERENCE_MOVING 2.2314638154 /* 295 anchors active, the best point on the way */
