// Functions that add and remove observers.
#include "base/observer.hpp"

#include <algorithm>

namespace pysmpi {

std::vector<Observer*>* observers = nullptr;

void add_observer(Observer& observer) {
  Observation& observation = Observation::current();
  observation.all.push_back(&observer);
  observers = &observation.all;
}

void remove_observer(Observer& observer) {
  if (!observers) return;
  std::erase(*observers, &observer);
  if (observers->empty()) observers = nullptr;
}

}  // namespace pysmpi
