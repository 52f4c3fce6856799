// The registry of the algorithms of all collectives, the algorithm chosen for each operation, and the fallbacks to
// other algorithms recorded during a run.
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/c_api.h"
#include "collectives/catalogue.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

constexpr const Catalogue* kCatalogues[] = {
    &kBarrierCatalogue,
    &kBcastCatalogue,
    &kReduceCatalogue,
    &kAllreduceCatalogue,
    &kReduceScatterCatalogue,
    &kGatherCatalogue,
    &kGathervCatalogue,
    &kScatterCatalogue,
    &kScattervCatalogue,
    &kAllgatherCatalogue,
    &kAllgathervCatalogue,
    &kAlltoallCatalogue,
    &kAlltoallvCatalogue,
    &kAlltoallwCatalogue,
    &kScanCatalogue,
    &kExscanCatalogue,
    &kNeighborAllgatherCatalogue,
    &kNeighborAllgathervCatalogue,
    &kNeighborAlltoallCatalogue,
    &kNeighborAlltoallvCatalogue,
    &kNeighborAlltoallwCatalogue,
};

const NamedAlgorithm* algorithm_at(const char* operation, int32_t index) {
  const Catalogue* catalogue = find_catalogue(operation);
  if (!catalogue || index < 0 || index >= static_cast<int32_t>(catalogue->algorithms.size())) return nullptr;
  return &catalogue->algorithms[index];
}

struct Choice {
  Algorithm run = nullptr;
  std::int32_t parameter = 0;
  const char* name = nullptr;                  // name of the algorithm or of the selector
  NonblockingAlgorithm nonblocking = nullptr;  // the selector's function; null if it has none or an algorithm is chosen
  bool used = false;                           // a collective has run since the choice was made
};

Choice choice_of(const Selector& selector, Operation operation) {
  return {selector.algorithm(operation), 0, selector.name, selector.nonblocking};
}

// Finds an algorithm by name: "ring-4" is "ring-k" with the parameter 4.
Choice find_algorithm(const Catalogue& catalogue, std::string_view name) {
  for (const NamedAlgorithm& algorithm : catalogue.algorithms) {
    if (name == algorithm.name) return {algorithm.run, 0, algorithm.name};
  }
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return {};
  std::int32_t parameter = 0;
  const auto [end, error] = std::from_chars(name.data() + dash + 1, name.data() + name.size(), parameter);
  if (error != std::errc() || end != name.data() + name.size() || parameter < 1) return {};
  const std::string general = std::string(name.substr(0, dash)) + "-k";
  for (const NamedAlgorithm& algorithm : catalogue.algorithms) {
    if (general == algorithm.name) return {algorithm.run, parameter, algorithm.name};
  }
  return {};
}

const Selector* find_selector(const char* name) {
  for (const Selector& selector : selectors()) {
    if (std::strcmp(selector.name, name) == 0) return &selector;
  }
  return nullptr;
}

using Choices = std::array<Choice, kOperations>;

Choices all_by(const Selector& selector) {
  Choices choices;
  for (int i = 0; i < kOperations; ++i) choices[i] = choice_of(selector, static_cast<Operation>(i));
  return choices;
}

Choices& choices() {
  static Choices instance = all_by(selectors()[0]);
  return instance;
}

struct Fallback {
  const char *operation, *algorithm, *instead, *why;
  std::string text;
};

std::vector<Fallback>& fallbacks() {
  static std::vector<Fallback> instance;
  return instance;
}

}  // namespace

const Catalogue* catalogue_of(Operation operation) {
  for (const Catalogue* catalogue : kCatalogues) {
    if (catalogue->operation == operation) return catalogue;
  }
  return nullptr;
}

const Catalogue* find_catalogue(const char* option) {
  for (const Catalogue* catalogue : kCatalogues) {
    if (std::strcmp(catalogue->option, option) == 0) return catalogue;
  }
  return nullptr;
}

Algorithm algorithm_named(const Catalogue& catalogue, const char* name) {
  const Choice found = find_algorithm(catalogue, name);
  if (!found.run) {
    std::fprintf(stderr, "pysmpi: unknown algorithm %s for %s\n", name, catalogue.option);
    std::abort();
  }
  return found.run;
}

Schedule collective(Operation operation, Runner& run, Arguments args) {
  Choice& choice = choices()[static_cast<std::size_t>(operation)];
  choice.used = true;
  args.parameter = choice.parameter;
  return choice.run(run, args);
}

Algorithm nonblocking_algorithm(Operation operation, bool between_groups) {
  Choice& choice = choices()[static_cast<std::size_t>(operation)];
  if (options().nonblocking_collectives != NonblockingCollectives::kLibrary || !choice.nonblocking) return nullptr;
  choice.used = true;
  return choice.nonblocking(operation, between_groups);
}

const char* chosen_algorithm(Operation operation) { return choices()[static_cast<std::size_t>(operation)].name; }

void note_fallback(const char* operation, const char* algorithm, const char* instead, const char* why) {
  for (const Fallback& known : fallbacks()) {
    if (known.algorithm == algorithm && known.operation == operation && known.instead == instead && known.why == why) {
      return;
    }
  }
  fallbacks().push_back({operation, algorithm, instead, why,
                         std::string(operation) + ": " + algorithm + " fell back to " + instead + ": " + why});
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_choose_selector(const char* name) {
  const Selector* selector = find_selector(name);
  if (!selector) return -1;
  choices() = all_by(*selector);
  fallbacks().clear();
  return 0;
}

int32_t pysmpi_choose_algorithm(const char* operation, const char* name) {
  const Catalogue* catalogue = find_catalogue(operation);
  if (!catalogue) return -1;
  Choice choice = find_algorithm(*catalogue, name);
  if (!choice.run) {
    const Selector* selector = find_selector(name);
    if (!selector) return -1;
    choice = choice_of(*selector, catalogue->operation);
  }
  choices()[static_cast<std::size_t>(catalogue->operation)] = choice;
  return 0;
}

int32_t pysmpi_choice_is_used(const char* operation) {
  const Catalogue* catalogue = find_catalogue(operation);
  return catalogue && choices()[static_cast<std::size_t>(catalogue->operation)].used;
}

const char* pysmpi_operation_name(int32_t index) {
  return index < static_cast<int32_t>(std::size(kCatalogues)) ? kCatalogues[index]->option : nullptr;
}

const char* pysmpi_selector_name(int32_t index) {
  return index < static_cast<int32_t>(selectors().size()) ? selectors()[index].name : nullptr;
}

const char* pysmpi_algorithm_name(const char* operation, int32_t index) {
  const NamedAlgorithm* algorithm = algorithm_at(operation, index);
  return algorithm ? algorithm->name : nullptr;
}

const char* pysmpi_algorithm_shape(const char* operation, int32_t index) {
  return algorithm_at(operation, index)->shape;
}

const char* pysmpi_algorithm_rounds(const char* operation, int32_t index) {
  return algorithm_at(operation, index)->rounds;
}

const char* pysmpi_algorithm_traffic(const char* operation, int32_t index) {
  return algorithm_at(operation, index)->traffic;
}

const char* pysmpi_fallback(int32_t index) {
  return index < static_cast<int32_t>(fallbacks().size()) ? fallbacks()[index].text.c_str() : nullptr;
}
