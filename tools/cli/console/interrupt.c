#include "console/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "console/terminal.h"

static volatile sig_atomic_t signal_seen;

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
enum { STOP_SIGNALS = sizeof stop_signals / sizeof stop_signals[0] };

static void note_signal(int number) {
  signal_seen = number;
}

/* timeout(1) sends its signal twice at once, to the program and to its group: that is one wish. */
static const double REPETITION = 0.5;

/* The stop signals are blocked meanwhile. A limit of processor time is told again every second
 * until a harder one kills: that is no impatience. */
static void note_first_signal(int number) {
  static double first;
  const double second = now();
  if (signal_seen == 0) {
    signal_seen = number;
    first = second;
  } else if (number != SIGXCPU && second - first >= REPETITION) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

/* Without SA_RESTART, so that a read() that waits for input returns. */
static void catch_signal(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler}, old;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < STOP_SIGNALS; i++) sigaddset(&action.sa_mask, stop_signals[i]);
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
