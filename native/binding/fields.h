// Lists of fields. Each struct that crosses to TypeScript has one, with the names of
// electron/contract:
//
//   void fields(auto& visit, SampleRequest& request) {
//     visit("handle", request.handle);
//     visit("count", request.count);
//   }
//
// read_fields.h reads requests by it, write_fields.h writes answers by it. A std::optional may be
// absent. The marks below add properties of a field.
#pragma once

#include <optional>
#include <vector>

namespace opsmith {

// May be left out of a request: then the struct's default counts. An answer always has it.
template <class Member>
struct OrDefault {
  Member& member;
};
template <class Member>
OrDefault<Member> or_default(Member& member) {
  return {member};
}

// Without a value the answer has null, instead of leaving the field out.
template <class Member>
struct OrNull {
  const std::optional<Member>& member;
};
template <class Member>
OrNull<Member> or_null(const std::optional<Member>& member) {
  return {member};
}

// A number, or each of a list of them, is not negative.
template <class Member>
struct Natural {
  Member& member;
};
template <class Member>
Natural<Member> natural(Member& member) {
  return {member};
}

// An object keyed by the items' names, instead of a list; `position` is an item's place in it.
template <class Item>
struct Named {
  std::vector<Item>& items;
};
template <class Item>
Named<Item> named(std::vector<Item>& items) {
  return {items};
}

}  // namespace opsmith
