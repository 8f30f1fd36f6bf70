#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t signal_seen;

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOP_SIGNALS = sizeof stop_signals / sizeof stop_signals[0] };

static void note_signal(int number) {
  signal_seen = number;
}

static void note_first_signal(int number) {
  signal_seen = number;
  for (size_t i = 0; i < STOP_SIGNALS; i++) signal(stop_signals[i], SIG_DFL);
}

/* Without SA_RESTART, so that a read() that waits for input returns. */
static void catch_signal(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler}, old;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    sigaction(number, &action, NULL);
}

void interrupt_catch_first(void) {
  for (size_t i = 0; i < STOP_SIGNALS; i++) catch_signal(stop_signals[i], note_first_signal);
}

void interrupt_catch_sigint(void) {
  catch_signal(SIGINT, note_signal);
}

int interrupt_signal(void) {
  return signal_seen;
}

void interrupt_clear(void) {
  signal_seen = 0;
}
