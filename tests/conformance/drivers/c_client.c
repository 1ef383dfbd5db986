/* MariaDB Connector/C. Arguments: host port user password schema. Prints one observation a line:
   name, tab, value. Built with libmariadb, or with libmysqlclient where that is installed. */

#include <mysql.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { line_max = 1 << 20, columns_max = 64, blob_size = 20 * 1024 * 1024 };

static const char *host, *user, *password, *schema, *mode, *files;
static unsigned port;
static char text[line_max];
static size_t used;

static void add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (used < line_max) {
        const int size = vsnprintf(text + used, line_max - used, format, arguments);
        used += size > 0 ? (size_t)size : 0;
    }
    va_end(arguments);
}

static unsigned long long digest_of(const char *data, size_t size) {
    unsigned long long sum = 14695981039346656037ULL;
    for (size_t index = 0; index < size; ++index) {
        sum = (sum ^ (unsigned char)data[index]) * 1099511628211ULL;
    }
    return sum;
}

static void add_bytes(const char *data, size_t size) {
    if (data == NULL) {
        add("NULL,");
        return;
    }
    if (size > 300) {
        add("%zu bytes %llx,", size, digest_of(data, size));
        return;
    }
    for (size_t index = 0; index < size; ++index) {
        const unsigned char letter = (unsigned char)data[index];
        if (letter < 32 || letter == '\\') {
            add("\\x%02x", letter);
        } else {
            add("%c", letter);
        }
    }
    add(",");
}

static void done(const char *name, ...) {
    va_list arguments;
    va_start(arguments, name);
    vprintf(name, arguments);
    va_end(arguments);
    printf("\t%s\n", text);
    fflush(stdout);
    used = 0;
    text[0] = '\0';
}

static MYSQL *make(void) {
    MYSQL *link = mysql_init(NULL);
    const unsigned on = 1;
    mysql_options(link, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options(link, MYSQL_OPT_LOCAL_INFILE, &on);
    const unsigned long packet = 64UL << 20;
    mysql_options(link, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
    if (strcmp(mode, "compress") == 0) mysql_options(link, MYSQL_OPT_COMPRESS, NULL);
#ifdef MARIADB_PACKAGE_VERSION
    const my_bool enforce = 1;
    if (strcmp(mode, "tls") == 0) mysql_options(link, MYSQL_OPT_SSL_ENFORCE, &enforce);
    mysql_optionsv(link, MYSQL_OPT_CONNECT_ATTR_ADD, "program", "conformance");
#else
    const unsigned level = strcmp(mode, "tls") == 0 ? SSL_MODE_REQUIRED : SSL_MODE_DISABLED;
    const char yes = 1;
    mysql_options(link, MYSQL_OPT_SSL_MODE, &level);
    mysql_options(link, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &yes);
    mysql_options4(link, MYSQL_OPT_CONNECT_ATTR_ADD, "program", "conformance");
#endif
    return link;
}

static MYSQL *login(unsigned long flags) {
    MYSQL *link = make();
    if (!mysql_real_connect(link, host, user, password, schema, port, NULL, flags)) {
        add("UNEXPECTED %s", mysql_error(link));
        done("login");
        exit(1);
    }
    return link;
}

static void add_error(MYSQL *link) {
    add("error %u %s %s|", mysql_errno(link), mysql_sqlstate(link), mysql_error(link));
}

static void add_columns(MYSQL_RES *result) {
    const unsigned count = mysql_num_fields(result);
    const MYSQL_FIELD *fields = mysql_fetch_fields(result);
    for (unsigned index = 0; index < count; ++index) {
        const MYSQL_FIELD *field = &fields[index];
        add("[%s.%s.%s(%s.%s) type %d length %lu max %lu flags %x decimals %u charset %u]",
            field->db, field->table, field->name, field->org_table, field->org_name, field->type,
            field->length, field->max_length, field->flags, field->decimals, field->charsetnr);
    }
}

static void add_rows(MYSQL_RES *result) {
    MYSQL_ROW row;
    while ((row = mysql_fetch_row(result)) != NULL) {
        const unsigned long *lengths = mysql_fetch_lengths(result);
        for (unsigned index = 0; index < mysql_num_fields(result); ++index) {
            add_bytes(row[index], lengths[index]);
        }
        add(";");
    }
}

static void add_result(MYSQL *link) {
    MYSQL_RES *result = mysql_store_result(link);
    if (result != NULL) {
        add_columns(result);
        add_rows(result);
        mysql_free_result(result);
    } else if (mysql_errno(link) != 0) {
        add_error(link);
    }
    const char *info = mysql_info(link);
    add("affected %lld id %llu warnings %u info %s status %x|", (long long)mysql_affected_rows(link),
        (unsigned long long)mysql_insert_id(link), mysql_warning_count(link), info ? info : "none",
        link->server_status);
}

static void add_query(MYSQL *link, const char *sql) {
    if (mysql_real_query(link, sql, strlen(sql)) != 0) {
        add_error(link);
        return;
    }
    int more = 0;
    do {
        add_result(link);
        more = mysql_next_result(link);
    } while (more == 0);
    if (more > 0) add_error(link);
}

static void add_statement_error(MYSQL_STMT *statement) {
    add("error %u %s %s|", mysql_stmt_errno(statement), mysql_stmt_sqlstate(statement),
        mysql_stmt_error(statement));
}

static void add_statement_rows(MYSQL_STMT *statement, MYSQL_RES *columns) {
    static char buffers[columns_max][100000];
    MYSQL_BIND binds[columns_max];
    unsigned long lengths[columns_max];
    const unsigned count = mysql_num_fields(columns);
    memset(binds, 0, sizeof binds);
    for (unsigned index = 0; index < count; ++index) {
        binds[index].buffer_type = MYSQL_TYPE_STRING;
        binds[index].buffer = buffers[index];
        binds[index].buffer_length = sizeof buffers[index];
        binds[index].length = &lengths[index];
        binds[index].is_null = &binds[index].is_null_value;
    }
    mysql_stmt_bind_result(statement, binds);
    int code = 0;
    while ((code = mysql_stmt_fetch(statement)) == 0 || code == MYSQL_DATA_TRUNCATED) {
        for (unsigned index = 0; index < count; ++index) {
            add_bytes(binds[index].is_null_value ? NULL : buffers[index], lengths[index]);
        }
        add(";");
    }
    add("fetch %d ", code);
    if (code == 1) add_statement_error(statement);
}

static void add_results(MYSQL *link, MYSQL_STMT *statement, int stored) {
    int more = 0;
    do {
        MYSQL_RES *columns = mysql_stmt_result_metadata(statement);
        if (columns != NULL) {
            add_columns(columns);
            if (stored && mysql_stmt_store_result(statement) != 0) {
                add_statement_error(statement);
            } else {
                add_statement_rows(statement, columns);
            }
            mysql_free_result(columns);
        }
        add("affected %lld id %llu warnings %u status %x|",
            (long long)mysql_stmt_affected_rows(statement),
            (unsigned long long)mysql_stmt_insert_id(statement), mysql_warning_count(link),
            link->server_status);
        mysql_stmt_free_result(statement);
        more = mysql_stmt_next_result(statement);
    } while (more == 0);
    if (more > 0) add_statement_error(statement);
}

static void add_prepared(MYSQL *link, const char *sql, MYSQL_BIND *binds, unsigned long prefetch) {
    MYSQL_STMT *statement = mysql_stmt_init(link);
    if (prefetch != 0) {
        const unsigned long kind = CURSOR_TYPE_READ_ONLY;
        mysql_stmt_attr_set(statement, STMT_ATTR_CURSOR_TYPE, &kind);
        mysql_stmt_attr_set(statement, STMT_ATTR_PREFETCH_ROWS, &prefetch);
    }
    if (mysql_stmt_prepare(statement, sql, strlen(sql)) != 0) {
        add_statement_error(statement);
        mysql_stmt_close(statement);
        return;
    }
    add("parameters %lu ", mysql_stmt_param_count(statement));
    if (binds != NULL) mysql_stmt_bind_param(statement, binds);
    for (int turn = 0; turn < (binds != NULL ? 2 : 1); ++turn) {
        if (mysql_stmt_execute(statement) != 0) {
            add_statement_error(statement);
        } else {
            add_results(link, statement, prefetch == 0);
        }
    }
    if (mysql_stmt_reset(statement) != 0) add_statement_error(statement);
    mysql_stmt_close(statement);
}

static void check_connect(void) {
    MYSQL *link = login(0);
    add("%s %s %u %s", mysql_get_server_info(link), mysql_character_set_name(link),
        mysql_get_proto_info(link), mysql_get_host_info(link) != NULL ? "host" : "none");
    done("connect.server");
    const unsigned long identity = mysql_thread_id(link);
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT CONNECTION_ID() = %lu AS same", identity);
    add_query(link, sql);
    done("connect.same id");
    add("%d", mysql_ping(link));
    done("connect.ping");
    add("%s", mysql_stat(link));
    done("connect.statistics");
    add_query(link, "SHOW STATUS LIKE 'Compression'");
    add("cipher %s", mysql_get_ssl_cipher(link) != NULL ? "yes" : "no");
    done("connect.session");
    add_query(link, "SELECT attr_value FROM performance_schema.session_connect_attrs WHERE "
                    "attr_name = 'program' AND processlist_id = CONNECTION_ID()");
    done("connect.attributes");
    add("%d ", mysql_select_db(link, "nowhere"));
    add_error(link);
    add("%d ", mysql_select_db(link, schema));
    done("connect.select");
    MYSQL_RES *result = mysql_list_fields(link, "t_types", "c_%");
    if (result != NULL) add_columns(result);
    if (result != NULL) mysql_free_result(result);
    done("connect.list fields");
    add("%d ", mysql_refresh(link, REFRESH_LOG));
    add_error(link);
    add("%d ", mysql_dump_debug_info(link));
    add_error(link);
    done("connect.refused");
    mysql_close(link);
    const char *tries[][3] = {{user, "wrong", schema}, {"nobody", "x", schema},
                              {user, password, "nowhere"}, {user, "", schema}};
    for (unsigned number = 0; number < 4; ++number) {
        link = make();
        add("%d ", mysql_real_connect(link, host, tries[number][0], tries[number][1],
                                      tries[number][2], port, NULL, 0) == NULL);
        add_error(link);
        done("connect.refused login %u", number);
        mysql_close(link);
    }
}

static void check_statements(void) {
    char line[4096], path[4096];
    snprintf(path, sizeof path, "%s/statements.txt", getenv("STOCKGATE_CONFORMANCE_HERE"));
    for (int prepared = 0; prepared < 2; ++prepared) {
        FILE *list = fopen(path, "r");
        MYSQL *link = login(CLIENT_MULTI_STATEMENTS);
        add_query(link, "DELETE FROM t_order; ALTER TABLE t_order AUTO_INCREMENT = 1;"
                        "UPDATE t_stock SET stock = 1000 WHERE sku_id = 2002");
        used = 0;
        int number = 0;
        while (list != NULL && fgets(line, sizeof line, list) != NULL) {
            line[strcspn(line, "\n")] = '\0';
            if (line[0] == '#' || line[0] == '\0') continue;
            if (prepared) {
                add_prepared(link, line, NULL, 0);
            } else {
                add_query(link, line);
            }
            done("statements.%s %03d %.50s", prepared ? "prepared" : "text", number++, line);
        }
        mysql_close(link);
        if (list != NULL) fclose(list);
    }
}

static void bind_long(MYSQL_BIND *bind, long long *value) {
    bind->buffer_type = MYSQL_TYPE_LONGLONG;
    bind->buffer = value;
}

static void bind_text(MYSQL_BIND *bind, const char *value) {
    bind->buffer_type = MYSQL_TYPE_STRING;
    bind->buffer = (void *)value;
    bind->buffer_length = strlen(value);
}

static void check_prepared(void) {
    MYSQL *link = login(0);
    long long number = -5;
    double fraction = 2.5;
    MYSQL_TIME moment = {2024, 2, 29, 12, 34, 56, 123456, 0, MYSQL_TIMESTAMP_DATETIME};
    MYSQL_BIND binds[6];
    memset(binds, 0, sizeof binds);
    bind_long(&binds[0], &number);
    binds[1].buffer_type = MYSQL_TYPE_DOUBLE;
    binds[1].buffer = &fraction;
    bind_text(&binds[2], "żółw 😀");
    binds[3].buffer_type = MYSQL_TYPE_NULL;
    binds[4].buffer_type = MYSQL_TYPE_DATETIME;
    binds[4].buffer = &moment;
    binds[5].buffer_type = MYSQL_TYPE_BLOB;
    binds[5].buffer = "\0\1\xfe\xff";
    binds[5].buffer_length = 4;
    add_prepared(link, "SELECT ?, ?, ?, ?, ?, ?", binds, 0);
    done("prepared.kinds");
    long long sku = 2002, units = 1;
    memset(binds, 0, sizeof binds);
    bind_long(&binds[0], &units);
    bind_long(&binds[1], &sku);
    bind_long(&binds[2], &units);
    add_prepared(link, "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?", binds,
                 0);
    done("prepared.deduct");
    add_prepared(link, "SELECT * FROM nowhere WHERE id = ?", binds, 0);
    done("prepared.refused");
    for (unsigned long rows = 1; rows <= 1000; rows *= 7) {
        add_prepared(link, "SELECT i FROM t_thousand ORDER BY i LIMIT 500", NULL, rows);
        done("prepared.cursor %lu", rows);
    }
    add_prepared(link, "SELECT * FROM t_types ORDER BY id", NULL, 2);
    done("prepared.cursor types");
    add_prepared(link, "CALL p_two()", NULL, 0);
    done("prepared.call");
    memset(binds, 0, sizeof binds);
    long long nothing = 0;
    number = 21;
    bind_long(&binds[0], &number);
    bind_long(&binds[1], &nothing);
    bind_text(&binds[2], "żółw");
    add_prepared(link, "CALL p_out(?, ?, ?)", binds, 0);
    done("prepared.out");
    add_prepared(link, "CALL p_fails()", NULL, 0);
    done("prepared.call fails");
    mysql_close(link);
}

/* Two statements interleaved, one with a cursor that is left open; a statement without its close. */
static void check_interleaved(void) {
    MYSQL *link = login(0);
    MYSQL_STMT *statement = mysql_stmt_init(link);
    const unsigned long kind = CURSOR_TYPE_READ_ONLY, rows = 10;
    mysql_stmt_attr_set(statement, STMT_ATTR_CURSOR_TYPE, &kind);
    mysql_stmt_attr_set(statement, STMT_ATTR_PREFETCH_ROWS, &rows);
    const char *sql = "SELECT i FROM t_thousand ORDER BY i";
    mysql_stmt_prepare(statement, sql, strlen(sql));
    mysql_stmt_execute(statement);
    long long value = 0, sum = 0;
    MYSQL_BIND bind;
    memset(&bind, 0, sizeof bind);
    bind_long(&bind, &value);
    mysql_stmt_bind_result(statement, &bind);
    for (int turn = 0; turn < 205 && mysql_stmt_fetch(statement) == 0; ++turn) {
        sum += value;
        if (turn % 50 == 0) add_query(link, "SELECT 'between'");
    }
    add("sum %lld", sum);
    done("interleaved.cursor");
    add("%d ", mysql_stmt_reset(statement));
    add("%d ", mysql_stmt_execute(statement));
    add("%d ", mysql_stmt_fetch(statement));
    add("%lld", value);
    done("interleaved.again");
    mysql_close(link);
    add("%d ", mysql_stmt_execute(statement));
    add_statement_error(statement);
    done("interleaved.without connection");
    mysql_stmt_close(statement);
}

static void check_found_rows(void) {
    for (int found = 0; found < 2; ++found) {
        MYSQL *link = login(found ? CLIENT_FOUND_ROWS : 0);
        add_query(link, "UPDATE t_stock SET stock = stock WHERE sku_id = 2002");
        add_query(link, "UPDATE t_stock SET stock = stock + 1 WHERE sku_id = 2002");
        add_query(link, "UPDATE t_stock SET stock = stock WHERE sku_id = 9");
        done("found rows.%d", found);
        mysql_close(link);
    }
}

static void check_results(void) {
    MYSQL *link = login(CLIENT_MULTI_STATEMENTS);
    const char *texts[] = {
        "SELECT 1; SELECT 2, 'b'; DO 1; SELECT * FROM t_types ORDER BY id", "CALL p_two()",
        "SELECT 1; SELECT * FROM nowhere; SELECT 3", "CALL p_fails()", "CALL p_two(); CALL p_two()",
        "SET @a = 21, @c = 'x'; CALL p_out(@a, @b, @c); SELECT @b, @c", "SELECT 1;", ";", "",
        "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('S-1', 1, 1); SELECT ROW_COUNT()"};
    for (unsigned number = 0; number < sizeof texts / sizeof *texts; ++number) {
        add_query(link, texts[number]);
        done("results.%u", number);
    }
    add("%d", mysql_set_server_option(link, MYSQL_OPTION_MULTI_STATEMENTS_OFF));
    add_query(link, "SELECT 1; SELECT 2");
    done("results.switched off");
    mysql_close(link);
}

static void check_transactions(void) {
    MYSQL *link = login(0), *other = login(0);
    const char *look = "SELECT COUNT(*) FROM t_order WHERE order_no = 'C-1'";
    add("%d", mysql_autocommit(link, 0));
    add_query(link, "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('C-1', 1, 1)");
    add_query(other, look);
    add("%d", mysql_commit(link));
    add_query(other, look);
    done("transactions.commit");
    add_query(link, "DELETE FROM t_order WHERE order_no = 'C-1'");
    add("%d", mysql_rollback(link));
    add_query(link, look);
    add("%d", mysql_autocommit(link, 1));
    done("transactions.rollback");
    mysql_close(link);
    mysql_close(other);
}

static void check_big(void) {
    MYSQL *link = login(0);
    char *blob = malloc(blob_size);
    for (size_t index = 0; index < blob_size; ++index) blob[index] = (char)(index * 31 + index / 253);
    MYSQL_STMT *statement = mysql_stmt_init(link);
    const char *sql = "INSERT INTO t_blob VALUES (?, ?)";
    long long identity = 1;
    MYSQL_BIND binds[2];
    memset(binds, 0, sizeof binds);
    bind_long(&binds[0], &identity);
    binds[1].buffer_type = MYSQL_TYPE_LONG_BLOB;
    binds[1].buffer = blob;
    binds[1].buffer_length = blob_size;
    add("%d ", mysql_stmt_prepare(statement, sql, strlen(sql)));
    mysql_stmt_bind_param(statement, binds);
    add("%d ", mysql_stmt_execute(statement));
    done("big.one packet");
    identity = 2;
    for (size_t sent = 0; sent < blob_size; sent += 1 << 20) {
        add("%d", mysql_stmt_send_long_data(statement, 1, blob + sent, 1 << 20));
    }
    add(" %d ", mysql_stmt_execute(statement));
    add_statement_error(statement);
    done("big.long data");
    identity = 3;
    add("%d", mysql_stmt_send_long_data(statement, 1, "forgotten", 9));
    add("%d", mysql_stmt_reset(statement));
    add("%d", mysql_stmt_send_long_data(statement, 1, "", 0));
    add(" %d ", mysql_stmt_execute(statement));
    done("big.long data, reset");
    mysql_stmt_close(statement);
    add_query(link, "SELECT id, LENGTH(body), SHA2(body, 256) FROM t_blob ORDER BY id");
    done("big.arrived");
    add_query(link, "SELECT body FROM t_blob WHERE id = 1");
    done("big.text");
    MYSQL_STMT *reader = mysql_stmt_init(link);
    sql = "SELECT body FROM t_blob WHERE id = 2";
    mysql_stmt_prepare(reader, sql, strlen(sql));
    mysql_stmt_execute(reader);
    char *back = malloc(blob_size);
    unsigned long size = 0;
    memset(binds, 0, sizeof binds);
    binds[0].buffer_type = MYSQL_TYPE_LONG_BLOB;
    binds[0].buffer = back;
    binds[0].buffer_length = blob_size;
    binds[0].length = &size;
    mysql_stmt_bind_result(reader, binds);
    add("%d ", mysql_stmt_fetch(reader));
    add("%lu %d", size, memcmp(back, blob, blob_size));
    done("big.binary");
    mysql_stmt_close(reader);
    mysql_close(link);
    free(back);
    free(blob);
}

static void check_stream(void) {
    MYSQL *link = login(0);
    const char *sql = "SELECT a.i * 1000 + b.i AS n, REPEAT('x', 40) AS pad FROM t_thousand a, "
                      "t_thousand b WHERE a.i <= 200 ORDER BY 1";
    add("%d ", mysql_real_query(link, sql, strlen(sql)));
    MYSQL_RES *result = mysql_use_result(link);
    MYSQL_ROW row;
    long long count = 0, sum = 0;
    while ((row = mysql_fetch_row(result)) != NULL) {
        ++count;
        sum += atoll(row[0]);
    }
    add("%lld rows, sum %lld", count, sum);
    done("stream.all");
    mysql_free_result(result);
    mysql_real_query(link, sql, strlen(sql));
    result = mysql_use_result(link);
    row = mysql_fetch_row(result);
    add("%s ", row[0]);
    mysql_free_result(result);
    add_query(link, "SELECT 5");
    done("stream.left early");
    mysql_close(link);
}

/* The connection ends while rows are still coming. */
static void check_abandoned(void) {
    const char *sql = "SELECT a.i * 1000 + b.i, REPEAT('x', 400) FROM t_thousand a, t_thousand b";
    MYSQL *link = login(0);
    mysql_real_query(link, sql, strlen(sql));
    mysql_use_result(link);
    add("%d ", mysql_real_query(link, "SELECT 1", 8));
    add_error(link);
    done("abandoned.out of order");
    mysql_close(link);
}

static void check_load(void) {
    MYSQL *link = login(0);
    const char *names[] = {"small", "large", "empty", "missing", "bad"};
    for (unsigned number = 0; number < 5; ++number) {
        char sql[4096];
        snprintf(sql, sizeof sql, "LOAD DATA LOCAL INFILE '%s/%s.tsv' INTO TABLE t_load (id, body)",
                 files, names[number]);
        add_query(link, sql);
        add_query(link, "SHOW WARNINGS LIMIT 5");
        add_query(link, "SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load");
        add_query(link, "DELETE FROM t_load");
        done("load.%s", names[number]);
    }
    mysql_close(link);
}

static const char *verb;

static void *kill_it(void *argument) {
    MYSQL *link = login(0);
    char sql[300];
    snprintf(sql, sizeof sql, "SELECT 1 FROM information_schema.processlist WHERE id = %lu AND "
                              "info LIKE 'SELECT SLEEP%%'", *(unsigned long *)argument);
    for (int turn = 0; turn < 500; ++turn) {
        mysql_query(link, sql);
        MYSQL_RES *result = mysql_store_result(link);
        const int found = result != NULL && mysql_num_rows(result) == 1;
        mysql_free_result(result);
        if (found) break;
        usleep(20000);
    }
    snprintf(sql, sizeof sql, "%s %lu", verb, *(unsigned long *)argument);
    mysql_query(link, sql);
    mysql_close(link);
    return NULL;
}

static void check_kill(void) {
    const char *verbs[] = {"KILL QUERY", "KILL CONNECTION"};
    for (int number = 0; number < 2; ++number) {
        verb = verbs[number];
        MYSQL *link = login(0);
        unsigned long identity = mysql_thread_id(link);
        pthread_t killer;
        pthread_create(&killer, NULL, kill_it, &identity);
        add_query(link, "SELECT SLEEP(20)");
        pthread_join(killer, NULL);
        done("kill.%s", verb);
        add_query(link, "SELECT 6");
        done("kill.%s, next", verb);
        mysql_close(link);
    }
}

static void check_change_user(void) {
    MYSQL *link = login(0);
    const char *look = "SELECT CURRENT_USER(), DATABASE(), @kept, @@autocommit";
    add_query(link, "SET @kept = 1, autocommit = 0");
    add("%d ", mysql_reset_connection(link));
    add_query(link, look);
    done("change user.reset");
    add_query(link, "SET @kept = 2");
    add("%d ", mysql_change_user(link, "other", "stockgate-other", schema));
    add_query(link, look);
    done("change user.changed");
    add("%d ", mysql_change_user(link, user, password, NULL));
    add_query(link, look);
    done("change user.no schema");
    add("%d ", mysql_change_user(link, "other", "wrong", schema));
    add_error(link);
    done("change user.wrong");
    add("%d ", mysql_ping(link) != 0);
    done("change user.behind");
    mysql_close(link);
    link = login(0);
    add("%d ", mysql_set_character_set(link, "latin1"));
    add_query(link, "SELECT @@character_set_client, c_varchar FROM t_types WHERE id = 1");
    done("change user.character set");
    mysql_close(link);
}

#ifdef MARIADB_PACKAGE_VERSION
static void check_bulk(void) {
    MYSQL *link = login(0);
    enum { rows = 1000 };
    static long long numbers[rows];
    static char names[rows][20], *pointers[rows], indicators[rows];
    static unsigned long lengths[rows];
    for (int row = 0; row < rows; ++row) {
        numbers[row] = row;
        snprintf(names[row], sizeof names[row], "U-%d", row);
        pointers[row] = names[row];
        lengths[row] = strlen(names[row]);
        indicators[row] = row % 10 == 0 ? STMT_INDICATOR_NULL : STMT_INDICATOR_NONE;
    }
    MYSQL_STMT *statement = mysql_stmt_init(link);
    const char *sql = "INSERT INTO t_load VALUES (?, ?)";
    const unsigned size = rows;
    MYSQL_BIND binds[2];
    memset(binds, 0, sizeof binds);
    bind_long(&binds[0], numbers);
    binds[1].buffer_type = MYSQL_TYPE_STRING;
    binds[1].buffer = pointers;
    binds[1].length = lengths;
    binds[1].u.indicator = indicators;
    add("%d ", mysql_stmt_prepare(statement, sql, strlen(sql)));
    mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &size);
    mysql_stmt_bind_param(statement, binds);
    for (int turn = 0; turn < 2; ++turn) { /* the second time all keys are there */
        add("%d ", mysql_stmt_execute(statement));
        add("affected %lld ", (long long)mysql_stmt_affected_rows(statement));
        add_statement_error(statement);
    }
    add_query(link, "SELECT COUNT(*), COUNT(body), SUM(id) FROM t_load");
    done("bulk.rows");
    mysql_stmt_close(statement);
    statement = mysql_stmt_init(link);
    const unsigned parameters = 0;
    mysql_stmt_attr_set(statement, STMT_ATTR_PREBIND_PARAMS, &parameters);
    sql = "SELECT 'direct', 5";
    add("%d ", mariadb_stmt_execute_direct(statement, sql, strlen(sql)));
    add_results(link, statement, 1);
    done("bulk.execute direct");
    sql = "SELECT nowhere";
    add("%d ", mariadb_stmt_execute_direct(statement, sql, strlen(sql)));
    add_statement_error(statement);
    done("bulk.execute direct fails");
    mysql_stmt_close(statement);
    add_query(link, "SELECT 8");
    done("bulk.behind");
    mysql_close(link);
}
#endif

static const struct {
    const char *name;
    void (*run)(void);
} checks[] = {
    {"connect", check_connect},
    {"statements", check_statements},
    {"prepared", check_prepared},
    {"interleaved", check_interleaved},
    {"found rows", check_found_rows},
    {"results", check_results},
    {"transactions", check_transactions},
    {"big", check_big},
    {"stream", check_stream},
    {"abandoned", check_abandoned},
    {"load", check_load},
    {"kill", check_kill},
    {"change user", check_change_user},
#ifdef MARIADB_PACKAGE_VERSION
    {"bulk", check_bulk},
#endif
};

/* Without a list, or with the name in it, between commas. */
static int is_wanted(const char *name) {
    const char *list = getenv("STOCKGATE_CONFORMANCE_CHECKS");
    if (list == NULL || *list == '\0') return 1;
    const size_t size = strlen(name);
    for (const char *word = list; word != NULL; word = strchr(word, ',')) {
        if (*word == ',') ++word;
        if (strncmp(word, name, size) == 0 && (word[size] == ',' || word[size] == '\0')) return 1;
    }
    return 0;
}

int main(int count, char **words) {
    if (count < 6) return 2;
    host = words[1];
    port = (unsigned)atoi(words[2]);
    user = words[3];
    password = words[4];
    schema = words[5];
    mode = getenv("STOCKGATE_CONFORMANCE_MODE");
    files = getenv("STOCKGATE_CONFORMANCE_FILES");
    mysql_library_init(0, NULL, NULL);
    for (unsigned number = 0; number < sizeof checks / sizeof *checks; ++number) {
        if (is_wanted(checks[number].name)) checks[number].run();
    }
    mysql_library_end();
    return 0;
}
