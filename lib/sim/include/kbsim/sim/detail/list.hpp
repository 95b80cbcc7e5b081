#pragma once

namespace kbsim::detail {

/// A member of at most one List; knows how to leave it.
struct Link {
  Link* next = nullptr;  // null: in no list
  Link* prev = nullptr;

  [[nodiscard]] bool linked() const { return next != nullptr; }
  void unlink() {
    prev->next = next;
    next->prev = prev;
    next = nullptr;
  }
};

/// An intrusive FIFO, circular through its own head: O(1) to leave without knowing the list.
/// A list that goes away lets its members go; it never owns them.
class List {
 public:
  List() { reset(); }
  ~List() {
    while (!empty()) pop_front();
  }
  List(List&& other) noexcept {
    reset();
    splice_back(other);
  }
  List& operator=(List&& other) noexcept {
    splice_back(other);
    return *this;
  }

  [[nodiscard]] bool empty() const { return head_.next == &head_; }
  [[nodiscard]] Link& front() const { return *head_.next; }
  [[nodiscard]] Link& back() const { return *head_.prev; }

  void push_back(Link& link) { insert(link, *head_.prev, head_); }
  void push_front(Link& link) { insert(link, head_, *head_.next); }
  Link& pop_front() {
    Link& first = *head_.next;
    head_.next = first.next;
    first.next->prev = &head_;
    first.next = nullptr;
    return first;
  }
  /// Appends all members of `other`, in their order.
  void splice_back(List& other) {
    if (other.empty() || &other == this) return;
    other.head_.next->prev = head_.prev;
    head_.prev->next = other.head_.next;
    other.head_.prev->next = &head_;
    head_.prev = other.head_.prev;
    other.reset();
  }
  /// Forgets its members, which stand in other lists by now.
  void let_go() { reset(); }
  template <class Visit>
  void for_each(Visit visit) const {
    for (Link* link = head_.next; link != &head_;) {
      Link* const following = link->next;
      visit(*link);
      link = following;
    }
  }

 private:
  void reset() { head_.next = head_.prev = &head_; }
  static void insert(Link& link, Link& before, Link& after) {
    link.prev = &before;
    link.next = &after;
    before.next = &link;
    after.prev = &link;
  }

  Link head_;
};

}  // namespace kbsim::detail
