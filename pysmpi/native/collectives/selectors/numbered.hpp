// The algorithms of an operation under the numbers by which a decision table speaks of them.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "collectives/catalogue.hpp"

namespace pysmpi {

class Numbered {
 public:
  // By their names in the catalogue, up to the first that is null.
  Numbered(const Catalogue& catalogue, std::span<const char* const> names) {
    for (const char* name : names) {
      if (name) algorithms_.push_back(algorithm_named(catalogue, name));
    }
  }
  Numbered(const Catalogue& catalogue, std::initializer_list<const char*> names) {
    for (const char* name : names) algorithms_.push_back(algorithm_named(catalogue, name));
  }
  Numbered(std::initializer_list<Algorithm> algorithms) : algorithms_(algorithms) {}
  Algorithm operator[](int number) const { return algorithms_[number - 1]; }  // from 1 on

 private:
  std::vector<Algorithm> algorithms_;
};

}  // namespace pysmpi
