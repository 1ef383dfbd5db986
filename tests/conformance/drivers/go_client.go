// go-sql-driver. Arguments: DSN-options host port user password schema.
package main

import (
	"bufio"
	"context"
	"crypto/sha1"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

var options, host, port, user, password, schema, mode, files string

const stream = "SELECT a.i * 1000 + b.i AS n, REPEAT('x', 40) AS pad FROM t_thousand a, " +
	"t_thousand b WHERE a.i <= 200 ORDER BY 1"

func observe(name string, value interface{}) {
	text := fmt.Sprint(value)
	text = strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r", "\t", "\\t", "\x00", "\\0").Replace(text)
	if len(text) > 2000 {
		text = fmt.Sprintf("%.60s.. %d bytes, sha1 %x", text, len(text), sha1.Sum([]byte(text)))
	}
	fmt.Printf("%s\t%s\n", name, text)
}

func open(user, password, schema string, more ...string) *sql.DB {
	all := append([]string{"charset=utf8mb4", "allowAllFiles=true", "maxAllowedPacket=0", "readTimeout=15s"}, more...)
	if options != "" {
		all = append(all, options)
	}
	if mode == "tls" {
		all = append(all, "tls=skip-verify")
	}
	pool, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s:%s)/%s?%s", user, password, host, port,
		schema, strings.Join(all, "&")))
	if err != nil {
		panic(err)
	}
	pool.SetMaxOpenConns(1)
	return pool
}

func connect(more ...string) *sql.Conn {
	link, err := open(user, password, schema, more...).Conn(context.Background())
	if err != nil {
		panic(err)
	}
	return link
}

func failure(err error) string {
	var from *mysql.MySQLError
	if errors.As(err, &from) {
		return fmt.Sprintf("error %d %s", from.Number, from.Message)
	}
	return fmt.Sprintf("error %T %v", err, err)
}

func show(rows *sql.Rows) string {
	var text strings.Builder
	for {
		kinds, _ := rows.ColumnTypes()
		for _, kind := range kinds {
			length, hasLength := kind.Length()
			precision, scale, _ := kind.DecimalSize()
			nullable, _ := kind.Nullable()
			fmt.Fprintf(&text, "[%s %s %v %d %v %d %d %v]", kind.Name(), kind.DatabaseTypeName(),
				kind.ScanType(), length, hasLength, precision, scale, nullable)
		}
		values := make([]interface{}, len(kinds))
		places := make([]interface{}, len(kinds))
		for index := range values {
			places[index] = &values[index]
		}
		for rows.Next() {
			if err := rows.Scan(places...); err != nil {
				text.WriteString(failure(err))
			}
			for _, value := range values {
				if bytes, is := value.([]byte); is {
					value = string(bytes)
				}
				fmt.Fprintf(&text, "%T %v,", value, value)
			}
			text.WriteString(";")
		}
		if err := rows.Err(); err != nil {
			text.WriteString(failure(err))
		}
		text.WriteString("|")
		if !rows.NextResultSet() {
			break
		}
	}
	if err := rows.Err(); err != nil {
		text.WriteString(failure(err))
	}
	rows.Close()
	return text.String()
}

func ask(link *sql.Conn, query string, values ...interface{}) string {
	rows, err := link.QueryContext(context.Background(), query, values...)
	if err != nil {
		return failure(err)
	}
	return show(rows)
}

func do(link *sql.Conn, query string, values ...interface{}) string {
	result, err := link.ExecContext(context.Background(), query, values...)
	if err != nil {
		return failure(err)
	}
	count, _ := result.RowsAffected()
	identity, _ := result.LastInsertId()
	return fmt.Sprintf("affected %d id %d", count, identity)
}

func prepared(link *sql.Conn, query string, values ...interface{}) string {
	statement, err := link.PrepareContext(context.Background(), query)
	if err != nil {
		return failure(err)
	}
	defer statement.Close()
	text := ""
	for turn := 0; turn < 2 && (turn == 0 || len(values) > 0); turn++ {
		rows, err := statement.Query(values...)
		if err != nil {
			return text + failure(err)
		}
		text += show(rows) + "||"
	}
	return text
}

func checkConnect() {
	link := connect()
	observe("connect.ping", link.PingContext(context.Background()))
	observe("connect.session", ask(link, "SHOW STATUS LIKE 'Compression'"))
	var name, cipher string
	link.QueryRowContext(context.Background(), "SHOW STATUS LIKE 'Ssl_cipher'").Scan(&name, &cipher)
	observe("connect.cipher", cipher != "")
	for kind, pool := range map[string]*sql.DB{"password": open(user, "wrong", schema),
		"user": open("nobody", password, schema), "schema": open(user, password, "nowhere")} {
		observe("connect.wrong "+kind, failure(pool.Ping()))
	}
}

func statements() []string {
	list, err := os.Open(filepath.Join(os.Getenv("STOCKGATE_CONFORMANCE_HERE"), "statements.txt"))
	if err != nil {
		panic(err)
	}
	defer list.Close()
	var lines []string
	for scanner := bufio.NewScanner(list); scanner.Scan(); {
		if line := scanner.Text(); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

func checkStatements() {
	kinds := []struct {
		name string
		call func(*sql.Conn, string, ...interface{}) string
	}{{"query", ask}, {"exec", do}, {"prepared", prepared}}
	for _, kind := range kinds {
		link := connect("multiStatements=true")
		do(link, "DELETE FROM t_order")
		do(link, "ALTER TABLE t_order AUTO_INCREMENT = 1")
		do(link, "UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002")
		for number, query := range statements() {
			observe(fmt.Sprintf("statements.%s %03d %.50s", kind.name, number, query), kind.call(link, query))
		}
	}
}

func checkPrepared() {
	link := connect()
	moment := time.Date(2024, 2, 29, 1, 2, 3, 456000000, time.UTC)
	observe("prepared.kinds", prepared(link, "SELECT ?, ?, ?, ?, ?, ?, ?", -5, 2.5, "żółw 😀", nil, moment,
		[]byte{0, 1, 254, 255}, uint64(1)<<63))
	observe("prepared.deduct", prepared(link,
		"UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?", 1, 2002, 1))
	observe("prepared.refused", prepared(link, "SELECT * FROM nowhere WHERE id = ?", 1))
	observe("prepared.types", prepared(link, "SELECT * FROM t_types WHERE id > ? ORDER BY id", 0))
	observe("prepared.call", prepared(link, "CALL p_two()"))
	observe("prepared.out", prepared(link, "CALL p_out(?, @b, @c)", 21))
	observe("prepared.call fails", prepared(link, "CALL p_fails()"))
	observe("prepared.values", ask(link, "SELECT ?, ?", 1, "in the query"))
	observe("prepared.times", ask(connect("parseTime=true"), "SELECT c_date, c_datetime, c_timestamp FROM t_types WHERE id = ?", 1))
}

func checkResults() {
	link := connect("multiStatements=true")
	for number, query := range []string{"SELECT 1; SELECT 2, 'b'; DO 1", "CALL p_two()",
		"SELECT 1; SELECT * FROM nowhere; SELECT 3", "CALL p_fails()", "CALL p_two(); SELECT 9"} {
		observe(fmt.Sprintf("results.%d", number), ask(link, query))
		observe(fmt.Sprintf("results.%d exec", number), do(link, query))
	}
	observe("results.behind", ask(link, "SELECT 4"))
	observe("results.off", ask(connect(), "SELECT 1; SELECT 2"))
}

func checkFoundRows() {
	for _, option := range []string{"clientFoundRows=false", "clientFoundRows=true"} {
		link := connect(option)
		for _, value := range []string{"stock", "stock + 1"} {
			observe("found rows."+option+" "+value, do(link, "UPDATE t_stock SET stock = "+value+" WHERE sku_id = 2002"))
		}
	}
}

func checkTransactions() {
	pool, other := open(user, password, schema), connect()
	look := "SELECT COUNT(*) FROM t_order WHERE order_no = 'C-1'"
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelSerializable} {
		change, err := pool.BeginTx(context.Background(), &sql.TxOptions{Isolation: level})
		observe(fmt.Sprint("transactions.begin ", level), err)
		_, err = change.Exec("INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('C-1', 1, 1)")
		observe(fmt.Sprint("transactions.insert ", level), err)
		if level == sql.LevelReadCommitted {
			observe("transactions.not seen", ask(other, look))
			observe("transactions.rollback", change.Rollback())
		} else {
			observe("transactions.commit", change.Commit())
			observe("transactions.seen", ask(other, look))
		}
	}
	change, _ := pool.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	_, err := change.Exec("DELETE FROM t_order WHERE order_no = 'C-1'")
	observe("transactions.read only", err)
	change.Rollback()
}

func checkBig() {
	blob := make([]byte, 20<<20)
	for index := range blob {
		blob[index] = byte(index*31 + index/253)
	}
	link := connect()
	observe("big.prepared", do(link, "INSERT INTO t_blob VALUES (1, ?)", blob))
	observe("big.interpolated", do(connect("interpolateParams=true"), "INSERT INTO t_blob VALUES (2, ?)", blob))
	observe("big.arrived", ask(link, "SELECT id, LENGTH(body), SHA2(body, 256) FROM t_blob ORDER BY id"))
	observe("big.read", ask(link, "SELECT body FROM t_blob WHERE id = 1"))
	observe("big.read prepared", ask(link, "SELECT body FROM t_blob WHERE id = ?", 2))
}

func checkStream() {
	link := connect()
	rows, err := link.QueryContext(context.Background(), stream)
	if err != nil {
		panic(err)
	}
	var count, sum, number int64
	var pad string
	for rows.Next() {
		rows.Scan(&number, &pad)
		count++
		sum += number
	}
	observe("stream.all", fmt.Sprint(count, sum))
	rows, _ = link.QueryContext(context.Background(), stream)
	rows.Next()
	rows.Close()
	observe("stream.behind", ask(link, "SELECT 5"))
	limited, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err = link.QueryContext(limited, "SELECT SLEEP(5)")
	observe("stream.cancelled", failure(err))
	observe("stream.behind the cancelled", ask(link, "SELECT 6"))
}

func checkLoad() {
	link := connect()
	for _, name := range []string{"small", "large", "empty", "missing", "bad"} {
		observe("load."+name, do(link, "LOAD DATA LOCAL INFILE '"+files+"/"+name+".tsv' INTO TABLE t_load (id, body)"))
		observe("load."+name+", loaded", ask(link, "SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load"))
		do(link, "DELETE FROM t_load")
	}
}

func checkKill() {
	for _, verb := range []string{"KILL QUERY", "KILL"} {
		link, other := connect(), connect()
		var identity int64
		link.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&identity)
		done := make(chan bool)
		go func() {
			for turn := 0; turn < 500; turn++ {
				var found int
				other.QueryRowContext(context.Background(), fmt.Sprintf("SELECT COUNT(*) FROM "+
					"information_schema.processlist WHERE id = %d AND info LIKE 'SELECT SLEEP%%'", identity)).Scan(&found)
				if found == 1 {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			do(other, fmt.Sprintf("%s %d", verb, identity))
			done <- true
		}()
		observe("kill."+verb, ask(link, "SELECT SLEEP(20)"))
		<-done
		observe("kill."+verb+", next", ask(link, "SELECT 6"))
	}
}

func guard(name string, check func()) {
	defer func() {
		if reason := recover(); reason != nil {
			observe(name+".end", fmt.Sprint("UNEXPECTED ", reason))
		}
	}()
	check()
}

func main() {
	options, host, port, user, password, schema = os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6]
	mode, files = os.Getenv("STOCKGATE_CONFORMANCE_MODE"), os.Getenv("STOCKGATE_CONFORMANCE_FILES")
	guard("connect", checkConnect)
	guard("statements", checkStatements)
	guard("prepared", checkPrepared)
	guard("results", checkResults)
	guard("found rows", checkFoundRows)
	guard("transactions", checkTransactions)
	guard("big", checkBig)
	guard("stream", checkStream)
	guard("load", checkLoad)
	guard("kill", checkKill)
}
