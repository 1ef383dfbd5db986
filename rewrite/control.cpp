// Transaction control, USE and XA.

#include "rewrite/readers.hpp"

#include <array>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

// [WORK] [AND [NO] CHAIN] [[NO] RELEASE] to the end.
bool read_completion(Cursor& cursor, Statement& statement) {
    if (cursor.accept_word("and")) {
        const bool has_no = cursor.accept_word("no");
        if (!cursor.accept_word("chain")) return false;
        statement.chain = !has_no;
    }
    if (cursor.accept_word("no")) return cursor.accept_word("release") && cursor.at_end();
    cursor.accept_word("release");
    return cursor.at_end();
}

bool read_last_name(Cursor& cursor, Statement& statement) {
    if (!cursor.is_name()) return false;
    statement.name = name_of(cursor.token());
    cursor.advance();
    return cursor.at_end();
}

bool read_characteristic(Cursor& cursor) {
    if (cursor.accept_word("read"))
        return cursor.accept_word("only") || cursor.accept_word("write");
    return cursor.accept_word("with") && cursor.accept_word("consistent") &&
           cursor.accept_word("snapshot");
}

bool read_characteristics(Cursor& cursor) {
    if (cursor.at_end()) return true;
    do {
        if (!read_characteristic(cursor)) return false;
    } while (cursor.accept_symbol(","));
    return cursor.at_end();
}

Kind read_rollback(Cursor& cursor, Statement& statement) {
    cursor.accept_word("work");
    if (!cursor.accept_word("to")) {
        return read_completion(cursor, statement) ? Kind::rollback : Kind::opaque;
    }
    const Cursor next = cursor.following();
    if (cursor.is_word("savepoint") && !next.at_end()) cursor.advance();
    return read_last_name(cursor, statement) ? Kind::rollback_to : Kind::opaque;
}

}  // namespace

// A statement that begins like one of these and goes on otherwise is a mistake or a form that we
// do not know: opaque.
bool read_control(Cursor cursor, Statement& statement) {
    const auto finish = [&](bool understood, Kind kind) {
        statement.kind = understood ? kind : Kind::opaque;
        if (!understood) {
            statement.chain = false;
            statement.name.clear();
        }
        return true;
    };
    if (!is_any_word(
            cursor,
            std::array{
                "commit"sv,
                "rollback"sv,
                "begin"sv,
                "start"sv,
                "savepoint"sv,
                "release"sv,
                "use"sv,
                "xa"sv}
        )) {
        return false;
    }
    const Cursor verb = cursor;
    cursor.advance();
    if (verb.is_word("xa")) return finish(true, Kind::xa);
    if (verb.is_word("commit")) {
        cursor.accept_word("work");
        return finish(read_completion(cursor, statement), Kind::commit);
    }
    if (verb.is_word("rollback")) {
        const Kind kind = read_rollback(cursor, statement);
        return finish(kind != Kind::opaque, kind);
    }
    if (verb.is_word("savepoint"))
        return finish(read_last_name(cursor, statement), Kind::savepoint);
    if (verb.is_word("use")) return finish(read_last_name(cursor, statement), Kind::use_schema);
    if (verb.is_word("release")) {
        const bool understood =
            cursor.accept_word("savepoint") && read_last_name(cursor, statement);
        return finish(understood, Kind::release_savepoint);
    }
    if (verb.is_word("start")) {
        if (!cursor.accept_word("transaction")) return false;  // START REPLICA and others
        return finish(read_characteristics(cursor), Kind::begin);
    }
    cursor.accept_word("work");
    if (!cursor.at_end()) return false;  // BEGIN NOT ATOMIC: a compound statement
    return finish(true, Kind::begin);
}

}  // namespace rewrite
