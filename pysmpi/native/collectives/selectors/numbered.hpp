// The algorithms of an operation, to be looked up by the numbers that a decision table contains.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "collectives/catalogue.hpp"

namespace pysmpi {

class Numbered {
 public:
  // Finds the algorithms of an operation by their names; null entries are skipped.
  Numbered(const Catalogue& catalogue, std::span<const char* const> names) {
    for (const char* name : names) {
      if (name) algorithms_.push_back(algorithm_named(catalogue, name));
    }
  }
  Numbered(const Catalogue& catalogue, std::initializer_list<const char*> names) {
    for (const char* name : names) algorithms_.push_back(algorithm_named(catalogue, name));
  }
  Numbered(std::initializer_list<Algorithm> algorithms) : algorithms_(algorithms) {}
  Algorithm operator[](int number) const { return algorithms_[number - 1]; }  // numbers start at 1

 private:
  std::vector<Algorithm> algorithms_;
};

}  // namespace pysmpi
