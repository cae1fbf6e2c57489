// What the stand-ins of NVIDIA's libraries answer is in the file $STAND_IN_STATE: a name and a number in each line.
// It is read again for each question, so that a test can change it while an op host runs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long long stated(const char* name, long long otherwise) {
  const char* place = getenv("STAND_IN_STATE");
  FILE* file = place == NULL ? NULL : fopen(place, "r");
  if (file == NULL) return otherwise;
  char word[64];
  long long number, found = otherwise;
  while (fscanf(file, "%63s %lli", word, &number) == 2) {
    if (strcmp(word, name) == 0) found = number;
  }
  fclose(file);
  return found;
}
