// MariaDB Connector/J. Arguments: URL-options host port user password schema.

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

public class JdbcClient {
    static String options, host, port, user, password, schema, mode, files;
    static final String STREAM = "SELECT a.i * 1000 + b.i AS n, REPEAT('x', 40) AS pad FROM "
        + "t_thousand a, t_thousand b WHERE a.i <= 200 ORDER BY 1";

    interface Check {
        void run() throws Exception;
    }

    static String digest(byte[] bytes) throws Exception {
        return bytes.length + " bytes, sha1 "
            + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    }

    static void observe(String name, Object value) throws Exception {
        String text = String.valueOf(value).replace("\\", "\\\\").replace("\n", "\\n")
            .replace("\r", "\\r").replace("\t", "\\t").replace("\0", "\\0");
        if (text.length() > 2000) {
            text = text.substring(0, 60) + ".. " + digest(text.getBytes(StandardCharsets.UTF_8));
        }
        System.out.print(name + "\t" + text + "\n");
        System.out.flush();
    }

    static Connection connect(String... more) throws SQLException {
        String url = "jdbc:mariadb://" + host + ":" + port + "/" + schema
            + "?allowLocalInfile=true&allowPublicKeyRetrieval=true&" + options;
        if (mode.equals("compress")) url += "&useCompression=true";
        if (mode.equals("tls")) url += "&useSsl=true&trustServerCertificate=true";
        for (String option : more) url += "&" + option;
        return DriverManager.getConnection(url, user, password);
    }

    static String failure(SQLException error) {
        String text = "error " + error.getErrorCode() + " " + error.getSQLState() + " "
            + error.getClass().getSimpleName() + " "
            + String.valueOf(error.getMessage()).replaceAll("\\(conn=\\d+\\)", "(conn=N)")
                .replace("(port=" + port + ")", "(port=P)");
        if (error instanceof BatchUpdateException batch) {
            text += " counts " + Arrays.toString(batch.getUpdateCounts());
        }
        return text;
    }

    static String show(Object value) throws Exception {
        return value instanceof byte[] bytes
            ? bytes.length < 100 ? HexFormat.of().formatHex(bytes) : digest(bytes)
            : String.valueOf(value);
    }

    static String rows(ResultSet result) throws Exception {
        ResultSetMetaData columns = result.getMetaData();
        StringBuilder text = new StringBuilder();
        for (int column = 1; column <= columns.getColumnCount(); ++column) {
            text.append(columns.getColumnLabel(column)).append(' ')
                .append(columns.getTableName(column)).append('.').append(columns.getColumnName(column))
                .append(' ').append(columns.getColumnTypeName(column)).append(' ')
                .append(columns.getPrecision(column)).append(',').append(columns.getScale(column))
                .append(' ').append(columns.isNullable(column))
                .append(columns.isSigned(column)).append("; ");
        }
        while (result.next()) {
            text.append('(');
            for (int column = 1; column <= columns.getColumnCount(); ++column) {
                String seen;
                try {
                    seen = show(result.getObject(column)) + "=" + result.getString(column);
                } catch (SQLException error) {
                    seen = failure(error);
                }
                text.append(seen).append(", ");
            }
            text.append(") ");
        }
        return text.toString();
    }

    static String warnings(Statement statement) throws SQLException {
        StringBuilder text = new StringBuilder();
        for (SQLWarning next = statement.getWarnings(); next != null; next = next.getNextWarning()) {
            text.append(" warning ").append(failure(next));
        }
        return text.toString();
    }

    static String results(Statement statement, boolean isRows) throws Exception {
        StringBuilder text = new StringBuilder();
        try {
            while (true) {
                if (isRows) {
                    try (ResultSet result = statement.getResultSet()) {
                        text.append(rows(result)).append(" | ");
                    }
                } else if (statement.getUpdateCount() == -1) {
                    break;
                } else {
                    text.append(statement.getUpdateCount()).append(" keys ");
                    try (ResultSet keys = statement.getGeneratedKeys()) {
                        while (keys.next()) text.append(keys.getLong(1)).append(',');
                    }
                    text.append(" | ");
                }
                isRows = statement.getMoreResults();
            }
        } catch (SQLException error) {
            text.append(failure(error));
        }
        return text + warnings(statement);
    }

    static String ask(Connection link, String sql) throws Exception {
        try (Statement statement = link.createStatement()) {
            return results(statement, statement.execute(sql, Statement.RETURN_GENERATED_KEYS));
        } catch (SQLException error) {
            return failure(error);
        }
    }

    static String prepared(Connection link, String sql, Object... values) throws Exception {
        StringBuilder text = new StringBuilder();
        try (PreparedStatement statement =
                 link.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            for (int turn = 0; turn < (values.length > 0 ? 2 : 1); ++turn) {
                for (int index = 0; index < values.length; ++index) {
                    statement.setObject(index + 1, values[index]);
                }
                text.append(results(statement, statement.execute())).append(" || ");
            }
        } catch (SQLException error) {
            text.append(failure(error));
        }
        return text.toString();
    }

    static void checkConnect() throws Exception {
        try (Connection link = connect()) {
            observe("connect.server", link.getMetaData().getDatabaseProductVersion());
            observe("connect.valid", link.isValid(5));
            observe("connect.session", ask(link, "SHOW STATUS LIKE 'Compression'"));
            try (Statement statement = link.createStatement();
                 ResultSet result = statement.executeQuery("SHOW STATUS LIKE 'Ssl_cipher'")) {
                result.next();
                observe("connect.cipher", !result.getString(2).isEmpty());
            }
            try (ResultSet result =
                     link.getMetaData().getColumns(schema, null, "t_types", "%")) {
                observe("connect.columns", rows(result));
            }
            link.setCatalog("shop");
            try {
                link.setCatalog("nowhere");
            } catch (SQLException error) {
                observe("connect.no catalog", failure(error));
            }
        }
        String right = password, name = user, place = schema;
        for (String kind : List.of("password", "user", "schema")) {
            if (kind.equals("password")) password = "wrong";
            if (kind.equals("user")) user = "nobody";
            if (kind.equals("schema")) schema = "nowhere";
            try {
                connect().close();
                observe("connect.wrong " + kind, "UNEXPECTED login");
            } catch (SQLException error) {
                observe("connect.wrong " + kind, failure(error));
            }
            password = right;
            user = name;
            schema = place;
        }
    }

    static void checkStatements() throws Exception {
        List<String> list = new ArrayList<>();
        Path path = Path.of(System.getenv("STOCKGATE_CONFORMANCE_HERE"), "statements.txt");
        for (String line : Files.readAllLines(path)) {
            if (!line.isEmpty() && !line.startsWith("#")) list.add(line);
        }
        for (String kind : List.of("text", "prepared")) {
            try (Connection link = connect("allowMultiQueries=true")) {
                ask(link, "DELETE FROM t_order");
                ask(link, "ALTER TABLE t_order AUTO_INCREMENT = 1");
                ask(link, "UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002");
                int number = 0;
                for (String sql : list) {
                    String name = String.format("statements.%s %03d %.50s", kind, number++, sql);
                    observe(name, kind.equals("text") ? ask(link, sql) : prepared(link, sql));
                }
            }
        }
    }

    static void checkPrepared() throws Exception {
        try (Connection link = connect()) {
            observe("prepared.kinds", prepared(link, "SELECT ?, ?, ?, ?, ?, ?", -5, 2.5, "żółw 😀", null,
                Timestamp.valueOf("2024-02-29 01:02:03.456"), new byte[] {0, 1, -2, -1}));
            observe("prepared.deduct", prepared(link,
                "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?", 1, 2002L, 1));
            observe("prepared.refused", prepared(link, "SELECT * FROM nowhere WHERE id = ?", 1));
            observe("prepared.types", prepared(link, "SELECT * FROM t_types WHERE id > ? ORDER BY id", 0));
            try (PreparedStatement statement = link.prepareStatement(
                     "SELECT i FROM t_thousand WHERE i >= ? ORDER BY i",
                     ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
                statement.setFetchSize(7);
                for (int from : new int[] {0, 500, 2000}) {
                    statement.setInt(1, from);
                    long sum = 0;
                    try (ResultSet result = statement.executeQuery()) {
                        while (result.next()) sum += result.getInt(1);
                    }
                    observe("prepared.fetch size " + from, sum);
                }
            }
            try (CallableStatement call = link.prepareCall("{call p_out(?, ?, ?)}")) {
                call.setInt(1, 21);
                call.registerOutParameter(2, Types.INTEGER);
                call.setString(3, "żółw");
                call.registerOutParameter(3, Types.VARCHAR);
                boolean isRows = call.execute();
                observe("prepared.call", call.getInt(2) + " " + call.getString(3) + " "
                    + results(call, isRows));
            }
            observe("prepared.call two", prepared(link, "CALL p_two()"));
            observe("prepared.call fails", prepared(link, "CALL p_fails()"));
        }
    }

    static void checkResults() throws Exception {
        try (Connection link = connect("allowMultiQueries=true")) {
            String[] texts = {"SELECT 1; SELECT 2, 'b'; DO 1", "CALL p_two()",
                "SELECT 1; SELECT * FROM nowhere; SELECT 3", "CALL p_fails()",
                "CALL p_two(); SELECT 9"};
            for (int number = 0; number < texts.length; ++number) {
                observe("results." + number, ask(link, texts[number]));
            }
        }
        try (Connection link = connect()) {
            observe("results.off", ask(link, "SELECT 1; SELECT 2"));
        }
    }

    static void checkFoundRows() throws Exception {
        for (boolean affected : new boolean[] {false, true}) {
            try (Connection link = connect("useAffectedRows=" + affected)) {
                for (String value : List.of("stock", "stock + 1")) {
                    observe("found rows." + affected + " " + value, ask(link,
                        "UPDATE t_stock SET stock = " + value + " WHERE sku_id = 2002"));
                }
            }
        }
    }

    static void checkTransactions() throws Exception {
        try (Connection link = connect(); Connection other = connect()) {
            String look = "SELECT COUNT(*) FROM t_order WHERE order_no LIKE 'C-%'";
            String insert = "INSERT INTO t_order (order_no, sku_id, quantity) VALUES (?, 1, 1)";
            link.setAutoCommit(false);
            prepared(link, insert.replace("?", "'C-1'"));
            observe("transactions.not seen", ask(other, look));
            link.commit();
            observe("transactions.seen", ask(other, look));
            ask(link, insert.replace("?", "'C-2'"));
            Savepoint savepoint = link.setSavepoint("a");
            ask(link, insert.replace("?", "'C-3'"));
            link.rollback(savepoint);
            link.commit();
            observe("transactions.savepoint", ask(other, look));
            ask(link, "DELETE FROM t_order WHERE order_no LIKE 'C-%'");
            link.rollback();
            observe("transactions.rollback", ask(link, look));
            for (int level : new int[] {1, 2, 4, 8}) {
                link.setTransactionIsolation(level);
                observe("transactions.level " + level, link.getTransactionIsolation());
            }
            link.setReadOnly(true);
            observe("transactions.read only", ask(link, "DELETE FROM t_order WHERE order_no = 'C-1'"));
        }
    }

    static void checkBatch() throws Exception {
        try (Connection link = connect()) {
            for (int round = 0; round < 2; ++round) { // the second time every key is there
                try (PreparedStatement statement = link.prepareStatement(
                         "INSERT INTO t_load (id, body) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                    for (int row = 0; row < 1500; ++row) {
                        statement.setInt(1, row);
                        statement.setString(2, row % 7 == 0 ? null : "row żółw " + row);
                        statement.addBatch();
                    }
                    observe("batch.prepared " + round, Arrays.toString(statement.executeBatch()));
                } catch (SQLException error) {
                    observe("batch.prepared " + round, failure(error));
                }
            }
            observe("batch.loaded", ask(link, "SELECT COUNT(*), COUNT(body), SUM(id) FROM t_load"));
            try (PreparedStatement statement = link.prepareStatement(
                     "UPDATE t_load SET body = ? WHERE id = ?")) {
                for (int row = 0; row < 200; ++row) {
                    statement.setString(1, "again " + row);
                    statement.setInt(2, row * 10);
                    statement.addBatch();
                }
                observe("batch.updates", Arrays.toString(statement.executeBatch()));
            }
            try (Statement statement = link.createStatement()) {
                for (int row = 0; row < 50; ++row) {
                    statement.addBatch("UPDATE t_load SET body = 'x" + row + "' WHERE id = " + row);
                }
                statement.addBatch("DELETE FROM nowhere");
                statement.addBatch("DELETE FROM t_load WHERE id = 3");
                observe("batch.text", Arrays.toString(statement.executeBatch()));
            } catch (SQLException error) {
                observe("batch.text", failure(error));
            }
            observe("batch.left", ask(link, "SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load"));
            ask(link, "DELETE FROM t_load");
        }
    }

    static void checkBig() throws Exception {
        byte[] blob = new byte[20 << 20];
        for (int index = 0; index < blob.length; ++index) blob[index] = (byte) (index * 31 + index / 253);
        try (Connection link = connect();
             PreparedStatement statement = link.prepareStatement("INSERT INTO t_blob VALUES (?, ?)")) {
            statement.setInt(1, 1);
            statement.setBytes(2, blob);
            observe("big.bytes", statement.executeUpdate());
            statement.setInt(1, 2);
            statement.setBinaryStream(2, new ByteArrayInputStream(blob));
            observe("big.stream", statement.executeUpdate());
            observe("big.arrived", ask(link, "SELECT id, LENGTH(body), SHA2(body, 256) FROM t_blob ORDER BY id"));
            observe("big.read", prepared(link, "SELECT body FROM t_blob WHERE id = 2").length());
            try (Statement reader = link.createStatement();
                 ResultSet result = reader.executeQuery("SELECT body FROM t_blob WHERE id = 1")) {
                result.next();
                observe("big.read text", digest(result.getBytes(1)));
            }
        }
    }

    static void checkStream() throws Exception {
        try (Connection link = connect(); Statement statement = link.createStatement()) {
            statement.setFetchSize(100);
            long count = 0, sum = 0;
            try (ResultSet result = statement.executeQuery(STREAM)) {
                while (result.next()) {
                    ++count;
                    sum += result.getLong(1);
                }
            }
            observe("stream.all", count + " " + sum);
            ResultSet result = statement.executeQuery(STREAM);
            result.next();
            observe("stream.between", ask(link, "SELECT 5"));
            result.next();
            observe("stream.second", result.getLong(1));
            result.close();
            observe("stream.behind", ask(link, "SELECT 6"));
            statement.setQueryTimeout(1);
            try {
                statement.executeQuery("SELECT SLEEP(5)").close();
                observe("stream.timeout", "no error");
            } catch (SQLException error) {
                observe("stream.timeout", failure(error));
            }
            statement.setMaxRows(3);
            statement.setQueryTimeout(0);
            try (ResultSet few = statement.executeQuery("SELECT i FROM t_thousand ORDER BY i")) {
                observe("stream.max rows", rows(few));
            }
        }
    }

    static void checkLoad() throws Exception {
        try (Connection link = connect()) {
            for (String name : List.of("small", "large", "empty", "missing", "bad")) {
                observe("load." + name, ask(link, "LOAD DATA LOCAL INFILE '" + files + "/" + name
                    + ".tsv' INTO TABLE t_load (id, body)"));
                observe("load." + name + ", loaded", ask(link,
                    "SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load"));
                ask(link, "DELETE FROM t_load");
            }
        }
    }

    static void checkKill() throws Exception {
        for (String verb : List.of("KILL QUERY ", "KILL ")) {
            Connection link = connect();
            long identity;
            try (Statement statement = link.createStatement();
                 ResultSet result = statement.executeQuery("SELECT CONNECTION_ID()")) {
                result.next();
                identity = result.getLong(1);
            }
            Thread killer = new Thread(() -> {
                try (Connection other = connect(); Statement statement = other.createStatement()) {
                    for (int turn = 0; turn < 500; ++turn) {
                        ResultSet found = statement.executeQuery("SELECT 1 FROM information_schema.processlist "
                            + "WHERE id = " + identity + " AND info LIKE 'SELECT SLEEP%'");
                        if (found.next()) break;
                        Thread.sleep(20);
                    }
                    statement.execute(verb + identity);
                } catch (Exception error) {
                    System.out.println("kill.killer\tUNEXPECTED " + error);
                }
            });
            killer.start();
            observe("kill." + verb, ask(link, "SELECT SLEEP(20)"));
            killer.join();
            observe("kill." + verb + ", next", ask(link, "SELECT 6"));
        }
        Connection link = connect();
        Statement statement = link.createStatement();
        Thread canceller = new Thread(() -> {
            try {
                Thread.sleep(1500);
                statement.cancel();
            } catch (Exception error) {
                System.out.println("kill.canceller\tUNEXPECTED " + error);
            }
        });
        canceller.start();
        try {
            statement.executeQuery("SELECT SLEEP(20)").close();
            observe("kill.cancel", "no error");
        } catch (SQLException error) {
            observe("kill.cancel", failure(error));
        }
        canceller.join();
        observe("kill.cancel, next", ask(link, "SELECT 7"));
    }

    static void guard(String name, Check check) throws Exception {
        try {
            check.run();
        } catch (Exception error) {
            System.out.println(name + ".end\tUNEXPECTED " + String.valueOf(error).replace("\n", " "));
        }
    }

    public static void main(String[] words) throws Exception {
        System.setOut(new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false, "UTF-8"));
        options = words[0];
        host = words[1];
        port = words[2];
        user = words[3];
        password = words[4];
        schema = words[5];
        mode = System.getenv("STOCKGATE_CONFORMANCE_MODE");
        files = System.getenv("STOCKGATE_CONFORMANCE_FILES");
        guard("connect", JdbcClient::checkConnect);
        guard("statements", JdbcClient::checkStatements);
        guard("prepared", JdbcClient::checkPrepared);
        guard("results", JdbcClient::checkResults);
        guard("found rows", JdbcClient::checkFoundRows);
        guard("transactions", JdbcClient::checkTransactions);
        guard("batch", JdbcClient::checkBatch);
        guard("big", JdbcClient::checkBig);
        guard("stream", JdbcClient::checkStream);
        guard("load", JdbcClient::checkLoad);
        guard("kill", JdbcClient::checkKill);
        System.exit(0);
    }
}
