// The checklist with MariaDB Connector/C. Prints one observation per line: name, tab, value.

#include <mysql.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

struct Target {
    std::string host;
    unsigned port = 0;
    std::string user;
    std::string password;
    std::string database;
    long first_sku = 0;
};

constexpr std::size_t blob_size = 20UL * 1024 * 1024;
const std::string guarded_sql =
    "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?";

void observe(const std::string& name, const std::string& value) {
    std::printf("%s\t%s\n", name.c_str(), value.c_str());
}

[[noreturn]] void give_up(const std::string& what) {
    std::fprintf(stderr, "c_driver: %s\n", what.c_str());
    std::exit(1);
}

// Several answers as one value. A braced list is evaluated from left to right, a sum is not.
std::string in_order(const std::initializer_list<std::string>& answers) {
    std::string text;
    for (const std::string& answer : answers) text += answer + " ";
    return text;
}

// What the checklist needs of one connection. run() is text, execute() is prepared; both give the
// number of affected rows or the error.
class Session {
public:
    explicit Session(const Target& target, unsigned long flags = 0) : target_(target) {
        handle_ = mysql_init(nullptr);
        mysql_options(handle_, MYSQL_SET_CHARSET_NAME, "utf8mb4");
        if (mysql_real_connect(
                handle_,
                target.host.c_str(),
                target.user.c_str(),
                target.password.c_str(),
                target.database.c_str(),
                target.port,
                nullptr,
                flags | CLIENT_MULTI_STATEMENTS
            ) == nullptr) {
            give_up(mysql_error(handle_));
        }
    }
    ~Session() { mysql_close(handle_); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    MYSQL* handle() { return handle_; }
    const Target& target() const { return target_; }

    std::string run(const std::string& sql) {
        if (mysql_real_query(handle_, sql.data(), sql.size()) != 0) return error();
        const std::string rows = std::to_string(mysql_affected_rows(handle_));
        if (MYSQL_RES* result = mysql_store_result(handle_)) mysql_free_result(result);
        return rows;
    }

    // All results of one packet as text: columns by commas, rows by semicolons, results by bars.
    std::string results(const std::string& sql) {
        if (mysql_real_query(handle_, sql.data(), sql.size()) != 0) return error();
        std::string text;
        int more = 0;
        do {
            if (MYSQL_RES* result = mysql_store_result(handle_)) {
                append_rows(result, text);
                mysql_free_result(result);
            }
            text += "|";
            more = mysql_next_result(handle_);
        } while (more == 0);
        return more > 0 ? error() : text;
    }

    std::string execute(const std::string& sql, std::vector<long> values) {
        return with_statement(sql, [&](MYSQL_STMT* statement) {
            std::vector<MYSQL_BIND> binds(values.size());
            for (std::size_t index = 0; index < values.size(); ++index) {
                std::memset(&binds[index], 0, sizeof(MYSQL_BIND));
                binds[index].buffer_type = MYSQL_TYPE_LONGLONG;
                binds[index].buffer = &values[index];
            }
            return mysql_stmt_bind_param(statement, binds.data()) == 0 &&
                   mysql_stmt_execute(statement) == 0;
        });
    }

    // Text parameters; an empty one is sent as NULL.
    std::string execute_texts(const std::string& sql, std::vector<std::string> values) {
        return with_statement(sql, [&](MYSQL_STMT* statement) {
            std::vector<MYSQL_BIND> binds(values.size());
            for (std::size_t index = 0; index < values.size(); ++index) {
                std::memset(&binds[index], 0, sizeof(MYSQL_BIND));
                binds[index].buffer_type =
                    values[index].empty() ? MYSQL_TYPE_NULL : MYSQL_TYPE_STRING;
                binds[index].buffer = values[index].data();
                binds[index].buffer_length = values[index].size();
            }
            return mysql_stmt_bind_param(statement, binds.data()) == 0 &&
                   mysql_stmt_execute(statement) == 0;
        });
    }

    std::string with_statement(
        const std::string& sql, const std::function<bool(MYSQL_STMT*)>& use
    ) {
        MYSQL_STMT* statement = mysql_stmt_init(handle_);
        std::string answer;
        if (mysql_stmt_prepare(statement, sql.data(), sql.size()) == 0 && use(statement)) {
            answer = std::to_string(mysql_stmt_affected_rows(statement));
        } else {
            answer = "error " + std::to_string(mysql_stmt_errno(statement)) + " " +
                     mysql_stmt_sqlstate(statement);
        }
        mysql_stmt_close(statement);
        return answer;
    }

    std::string deduct(long offset, long units) {
        const std::string amount = std::to_string(units);
        return run(
            "UPDATE t_stock SET stock = stock - " + amount + " WHERE sku_id = " + sku(offset) +
            " AND stock >= " + amount
        );
    }

    std::string prepared(long offset, long units) {
        return execute(guarded_sql, {units, target_.first_sku + offset, units});
    }

    std::string sku(long offset) const { return std::to_string(target_.first_sku + offset); }

    std::string info() const {
        const char* text = mysql_info(handle_);
        return text == nullptr ? "none" : text;
    }

    std::string error() const {
        return "error " + std::to_string(mysql_errno(handle_)) + " " + mysql_sqlstate(handle_);
    }

private:
    static void append_rows(MYSQL_RES* result, std::string& text) {
        const unsigned columns = mysql_num_fields(result);
        while (const MYSQL_ROW row = mysql_fetch_row(result)) {
            const unsigned long* sizes = mysql_fetch_lengths(result);
            for (unsigned column = 0; column < columns; ++column) {
                text += row[column] == nullptr ? "NULL" : std::string(row[column], sizes[column]);
                text += ",";
            }
            text += ";";
        }
    }

    const Target& target_;
    MYSQL* handle_ = nullptr;
};

void check_basics(Session& session) {
    observe("login", session.results("SELECT CURRENT_USER(), DATABASE()"));
    observe("text.row", session.results("SELECT 1, 'a', NULL, 1.5, DATE('2024-02-29')"));
    observe("text.utf8", session.results("SELECT 'żółć 漢字 😀'"));
    observe("multi.statements", session.results("SELECT 1; SELECT 2, 3; DO 0; SELECT 4"));
    observe("multi.procedure", session.results("CALL p_two_results()"));
    observe("ping", mysql_ping(session.handle()) == 0 ? "ok" : session.error());
    observe("error.table", session.run("SELECT * FROM no_such_table"));
    observe("error.syntax", session.execute("SELEC 1", {}));
    session.run("DELETE FROM t_plain WHERE id = 77");
    session.run("INSERT INTO t_plain VALUES (77, 1)");
    observe("error.duplicate", session.execute("INSERT INTO t_plain VALUES (?, 1)", {77}));
    observe("after.error", session.results("SELECT 1"));
}

// The blob goes out in pieces (COM_STMT_SEND_LONG_DATA) and once in a single packet.
void check_blob(Session& session) {
    std::string blob(blob_size, 'x');
    for (std::size_t index = 0; index < blob.size(); index += 7) {
        blob[index] = static_cast<char>(index % 251);
    }
    session.run("DELETE FROM t_blob");
    observe(
        "blob.pieces",
        session.with_statement(
            "INSERT INTO t_blob VALUES (1, ?)",
            [&](MYSQL_STMT* statement) {
                MYSQL_BIND bind;
                std::memset(&bind, 0, sizeof bind);
                bind.buffer_type = MYSQL_TYPE_LONG_BLOB;
                if (mysql_stmt_bind_param(statement, &bind) != 0) return false;
                constexpr std::size_t piece = 1UL << 20;
                for (std::size_t start = 0; start < blob.size(); start += piece) {
                    if (mysql_stmt_send_long_data(statement, 0, blob.data() + start, piece) != 0) {
                        return false;
                    }
                }
                return mysql_stmt_execute(statement) == 0;
            }
        )
    );
    observe("blob.packet", session.execute_texts("INSERT INTO t_blob VALUES (2, ?)", {blob}));
    observe("blob.stored", session.results("SELECT id, LENGTH(body), SHA2(body, 256) FROM t_blob"));
    mysql_query(session.handle(), "SELECT body FROM t_blob");
    MYSQL_RES* result = mysql_use_result(session.handle());
    std::string equal;
    while (const MYSQL_ROW row = mysql_fetch_row(result)) {
        const bool same = mysql_fetch_lengths(result)[0] == blob.size() &&
                          std::memcmp(row[0], blob.data(), blob.size()) == 0;
        equal += same ? "same " : "different ";
    }
    mysql_free_result(result);
    observe("blob.read", equal);
}

void check_autocommit(Session& session) {
    observe("ac.sold", in_order({session.deduct(0, 3), session.info()}));
    observe("ac.warnings", std::to_string(mysql_warning_count(session.handle())));
    observe("ac.row_count", session.results("SELECT ROW_COUNT()"));
    observe("ac.refused", in_order({session.deduct(0, 9), session.info()}));
    observe("ac.last", session.deduct(0, 7));
}

void check_transactions(Session& session) {
    session.run("BEGIN");
    session.run("INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('c-1', 1, 4)");
    const auto order = mysql_insert_id(session.handle());
    observe("tx.affected", in_order({session.deduct(1, 4), session.info()}));
    observe("tx.row_count", session.results("SELECT ROW_COUNT()"));
    observe(
        "tx.last_insert_id", session.results("SELECT LAST_INSERT_ID() - " + std::to_string(order))
    );
    observe("tx.commit", session.run("COMMIT"));
    session.run("BEGIN");
    observe("rb.affected", in_order({session.deduct(2, 10), session.prepared(2, 1)}));
    session.run("ROLLBACK");
    observe("rb.again", session.prepared(2, 10));
    observe(
        "savepoint.steps",
        in_order(
            {session.run("BEGIN"),
             session.deduct(3, 1),
             session.run("SAVEPOINT `a b`"),
             session.prepared(3, 2),
             session.run("ROLLBACK TO `a b`"),
             session.deduct(3, 4),
             session.run("COMMIT")}
        )
    );
    const auto ended = [](my_bool failed) { return std::string(failed != 0 ? "failed" : "ok"); };
    observe(
        "autocommit0.steps",
        in_order(
            {ended(mysql_autocommit(session.handle(), 0)),
             session.deduct(4, 2),
             ended(mysql_commit(session.handle())),
             session.prepared(4, 3),
             ended(mysql_rollback(session.handle())),
             ended(mysql_autocommit(session.handle(), 1))}
        )
    );
}

void check_prepared(Session& session) {
    observe("prepared.sold", in_order({session.prepared(5, 2), session.info()}));
    observe("prepared.refused", session.prepared(5, 20));
    session.run("BEGIN");
    observe("prepared.tx", in_order({session.prepared(5, 3), session.run("COMMIT")}));
    const std::string sku = session.sku(15);
    observe("prepared.strings", session.execute_texts(guarded_sql, {"1", sku, "1"}));
    observe(
        "prepared.null",
        in_order(
            {session.execute_texts(guarded_sql, {"", sku, "1"}),
             session.execute_texts(guarded_sql, {"1", "", "1"}),
             session.execute_texts(guarded_sql, {"1", sku, ""})}
        )
    );
}

void check_special(Session& session) {
    const std::string unguarded = "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ?";
    const std::string returned = "UPDATE t_stock SET stock = stock + ? WHERE sku_id = ?";
    const long sku = session.target().first_sku;
    observe("unguarded.sold", session.execute(unguarded, {4, sku + 6}));
    observe("unguarded.refused", session.execute(unguarded, {7, sku + 6}));
    session.run("BEGIN");
    observe(
        "unguarded.tx", in_order({session.execute(unguarded, {7, sku + 6}), session.run("COMMIT")})
    );
    session.deduct(7, 5);
    observe("return", session.execute(returned, {2, sku + 7}));
    session.run("BEGIN");
    observe(
        "ddl.steps",
        in_order(
            {session.deduct(11, 3),
             session.run("CREATE TABLE IF NOT EXISTS t_scratch (a INT)"),
             session.run("ROLLBACK")}
        )
    );
    session.run("BEGIN");
    observe(
        "error.in_tx",
        in_order(
            {session.deduct(12, 3),
             session.run("INSERT INTO t_plain VALUES (77, 1)"),
             session.run("COMMIT")}
        )
    );
    observe(
        "gather", in_order({session.deduct(13, 8), session.deduct(13, 3), session.prepared(13, 2)})
    );
}

void check_endings(Session& session) {
    const Target& target = session.target();
    session.run("BEGIN");
    observe("reset.affected", session.deduct(8, 3));
    observe("reset", std::to_string(mysql_reset_connection(session.handle())));
    observe("reset.in_tx", session.results("SELECT @@in_transaction"));
    session.run("BEGIN");
    observe("change_user.affected", session.prepared(9, 3));
    const my_bool failed = mysql_change_user(
        session.handle(), target.user.c_str(), target.password.c_str(), target.database.c_str()
    );
    observe("change_user", std::to_string(failed));
    observe("change_user.in_tx", session.results("SELECT @@in_transaction"));
    observe("change_user.login", session.results("SELECT CURRENT_USER(), DATABASE()"));
    const std::string same = "UPDATE t_plain SET stock = stock WHERE id = 77";
    Session finding(target, CLIENT_FOUND_ROWS);
    observe("found", in_order({session.run(same), finding.run(same)}));
    observe(
        "found.hot", in_order({finding.deduct(14, 1), finding.deduct(14, 100), finding.info()})
    );
    Session leaving(target);
    leaving.run("BEGIN");
    observe("disconnect.affected", leaving.deduct(10, 3));
}

void check_cold(Session& session) {
    for (const std::string& rest :
         {std::string("t_stock SET stock = stock - 3 WHERE sku_id = 900000 AND stock >= 3"),
          std::string("t_plain SET stock = stock - 3 WHERE id = 1 AND stock >= 3")}) {
        observe(
            "cold." + rest.substr(0, 7),
            in_order(
                {session.run("UPDATE " + rest),
                 session.info(),
                 session.execute("UPDATE " + rest, {}),
                 session.info()}
            )
        );
    }
    observe("cold.stock", session.results("SELECT stock FROM t_stock WHERE sku_id = 900000"));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7) give_up("c_driver HOST PORT USER PASSWORD DATABASE FIRST_SKU");
    Target target{argv[1], 0, argv[3], argv[4], argv[5], std::strtol(argv[6], nullptr, 10)};
    target.port = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    Session session(target);
    for (const auto check :
         {check_basics,
          check_blob,
          check_autocommit,
          check_transactions,
          check_prepared,
          check_special,
          check_endings,
          check_cold}) {
        check(session);
    }
    return 0;
}
