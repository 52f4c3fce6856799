// Translation of the platform's link numbers into the numbers that the network uses.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "network/network.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

// A link is added to the network when a route first crosses it, so in a large machine unused links need no entry there.
// The table has 4 bytes of address space for each link; the operating system allocates its pages only when they are
// first written.
class LinkNumbers final : public LinkLoads {
 public:
  LinkNumbers(const Platform& platform, Network& network)
      : platform_(platform),
        network_(network),
        numbers_(static_cast<LinkId*>(std::calloc(std::max<std::size_t>(platform.link_count(), 1), sizeof(LinkId)))) {
    if (!numbers_) throw std::bad_alloc();
    if (!platform.profiles().empty()) add_all();  // changes of links use the platform's numbers
  }

  void translate(std::vector<LinkId>& links) {
    if (same_) return;
    for (LinkId& link : links) {
      LinkId& number = numbers_[link];
      if (number == 0) number = add(link) + 1;
      link = number - 1;
    }
  }

  // Return the network's number of the link, or kNone if no route has crossed the link.
  LinkId number(LinkId link) const { return same_ ? link : numbers_[link] == 0 ? kNone : numbers_[link] - 1; }

  double load_with_one_more(LinkId link) const override {
    if (same_) return network_.load_with_one_more(link);
    const LinkId number = numbers_[link];
    return number == 0 ? 1 / platform_.link_bandwidth(link) : network_.load_with_one_more(number - 1);
  }

  double load(LinkId link) const override {
    const LinkId known = number(link);
    return known == kNone ? 0.0 : network_.load(known);
  }

 private:
  LinkId add(LinkId link) { return network_.add_link(platform_.link_bandwidth(link), platform_.link_policy(link)); }
  void add_all() {
    same_ = true;
    for (LinkId link = 0; link < platform_.link_count(); ++link) add(link);
  }

  struct Free {
    void operator()(LinkId* numbers) const { std::free(numbers); }
  };

  const Platform& platform_;
  Network& network_;
  // Indexed by the platform's number of a link: the network's number + 1, or 0 if the network does not have the link
  // yet.
  std::unique_ptr<LinkId[], Free> numbers_;
  bool same_ = false;
};

}  // namespace pysmpi
