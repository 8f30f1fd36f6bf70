/* The equations of docs/bptt.c, with which the tests compare the fast code. */
#ifndef ELMAN_TESTS_PLAIN_H
#define ELMAN_TESTS_PLAIN_H

#include "check.h"

#pragma GCC diagnostic ignored "-Wunused-function"
#define main plain_main
#include "../../docs/bptt.c"
#undef main

#endif
