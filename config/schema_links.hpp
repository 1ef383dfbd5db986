#pragma once

// The part of the schema that is about the two sides of a session, for schema.cpp. Pure, any
// thread.

#include "config/schema.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace config {

constexpr Range call_range = {1, 600'000};  // milliseconds for one call to a server

// The names stand in the order of the enumerators; for a bool in that of false and true.
template <class Enum>
void choose(
    Visitor& visitor, const Field& field, Enum& value, std::span<const std::string_view> names
) {
    auto index = static_cast<std::size_t>(value);
    visitor.choice(field, index, names);
    value = static_cast<Enum>(index);
}

void visit_client(Client& client, Visitor& visitor);
void visit_backend(Backend& backend, Visitor& visitor);

}  // namespace config
