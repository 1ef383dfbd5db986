// UPDATEs of managed tables that are no deduction, and UPDATEs of other tables.

#include "row.hpp"

namespace rewrite_test {

namespace {

std::vector<Row> single_table_rows() {
    return {
        // More in SET than the stock.
        {"UPDATE t_stock SET stock = stock - 1, name = 'x' WHERE sku_id = 7",
         "touches 7",
         "column name is set"},
        {"UPDATE t_stock SET stock = stock - 2, locked = locked + 2 WHERE sku_id = 7 AND stock >= "
         "2",
         "touches 7",
         "column locked is set"},
        {"UPDATE t_stock SET stock = stock - 1, stock = stock - 1 WHERE sku_id = 7",
         "touches 7",
         "set twice"},
        {"UPDATE t_stock SET stock = stock - 1, version = version + 2 WHERE sku_id = 7",
         "touches 7",
         "version column"},
        {"UPDATE t_stock SET stock = ?, version = ? WHERE sku_id = ? AND version = ?",
         "touches ?2",
         "absolute"},
        {"UPDATE t_stock SET stock = stock - 1, version = 5 WHERE sku_id = 7",
         "touches 7",
         "version column"},
        {"UPDATE t_stock SET stock = stock - 1, update_time = NULL WHERE sku_id = 7",
         "touches 7",
         "time column update_time"},
        {"UPDATE t_stock SET stock = stock - 1, update_time = NOW() + INTERVAL 1 DAY WHERE sku_id "
         "= 7",
         "touches 7",
         "time column update_time"},
        {"UPDATE t_stock SET stock = stock - 1, update_time = NOW (), modified = NOW() WHERE "
         "sku_id = 7",
         "touches 7",
         "time column update_time"},
        {"UPDATE t_stock SET stock = stock - 1, modified = NOW(), modified = NOW() WHERE sku_id = "
         "7",
         "touches 7",
         "twice"},
        {"UPDATE t_stock SET stock = stock - 1, sku_id = 8 WHERE sku_id = 7",
         "touches 7",
         "key column"},
        // More in WHERE.
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND version = 12",
         "touches 7",
         "tests the version column"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND update_time = '2025-01-01'",
         "touches 7",
         "tests a time column"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND status = 1",
         "touches 7",
         "more than the key"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND deleted_at IS NULL",
         "touches 7",
         "more than the key"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND name LIKE 'a%' ESCAPE '!'",
         "touches 7"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND name REGEXP 'a' AND f(1, (2)) "
         "AND d > NOW() - INTERVAL 1 DAY AND j->'$.a' = 1 AND NOT EXISTS (SELECT 1)",
         "touches 7"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND MATCH (a) AGAINST ('x' IN "
         "BOOLEAN MODE)",
         "touches 7"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 XOR status = 1", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 OR status = 1", "touches", "OR"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 OR status = 1 AND 1 = 1",
         "touches",
         "OR"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 OR sku_id = 8", "touches 7,8"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 || sku_id = 8", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE (a || b) AND sku_id = 7", "touches 7"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND sku_id = 8", "touches 7"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id IN (1,2,3) AND stock >= 1",
         "touches 1,2,3",
         "several rows"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id IN (1, NULL, ?)", "touches 1,?0"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id NOT IN (1,2)", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id IN (1, other_id)", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id IN (SELECT 7)", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = NULL", "touches none"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND 1 = 0", "touches none"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND FALSE", "touches none"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = (SELECT id FROM t WHERE c = 'A')",
         "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id > 7", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id <=> 7", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = -?", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = ? + 0", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 0x07", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = _binary'7'", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7.5", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id + 0 = 7", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 'A1' COLLATE utf8mb4_bin", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE BINARY sku_id = 7", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE (sku_id, 1) = (7, 1)", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE name = ?", "touches"},
        {"UPDATE t_stock SET stock = stock - 1", "touches", "every key column"},
        {"UPDATE warehouse_stock SET qty = qty - 1 WHERE sku_id = 7", "touches@1"},
        {"UPDATE warehouse_stock SET qty = qty - 1 WHERE sku_id IN (7, 8) AND warehouse_id = 1",
         "touches@1 1/7,1/8"},
        {"UPDATE warehouse_stock SET qty = 1 WHERE sku_id IN (7, 8) AND warehouse_id IN (1, ?)",
         "touches@1 1/7,1/8,?0/7,?0/8"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE t_stock = 7", "touches"},
        {"UPDATE t_stock s SET stock = stock - 1 WHERE t_stock.sku_id = 7", "touches"},
        // The tail.
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 ORDER BY sku_id LIMIT 1",
         "touches 7",
         "ORDER BY"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 LIMIT 0", "touches 7", "LIMIT"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 LIMIT ?", "touches 7", "LIMIT"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 RETURNING stock", "touches 7"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 FOO", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 LIMIT 1 FOO", "touches 7"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = ", "touches"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE", "touches"},
        {"UPDATE t_stock SET stock = ", "touches"},
        {"UPDATE t_stock SET", "touches"},
        {"UPDATE t_stock", "touches"},
        {"UPDATE t_stock SET stock - 1 WHERE sku_id = 7", "touches"},
        // Before SET.
        {"UPDATE IGNORE t_stock SET stock = stock - 1 WHERE sku_id = 7", "touches 7", "IGNORE"},
        {"UPDATE LOW_PRIORITY IGNORE t_stock SET stock = 1 WHERE sku_id = 7", "touches 7"},
        {"UPDATE t_stock PARTITION (p0) SET stock = stock - 1 WHERE sku_id = 7", "touches 7"},
        {"UPDATE t_stock USE INDEX (a) SET stock = stock - 1 WHERE sku_id = 7", "touches 7"},
        {"UPDATE (t_stock) SET stock = stock - 1 WHERE sku_id = 7", "touches 7"},
        {"UPDATE t_stock FOR PORTION OF p FROM 1 TO 2 SET stock = 1 WHERE sku_id = 7", "touches 7"},
        // The version without the stock; the key.
        {"UPDATE t_stock SET version = version + 1 WHERE sku_id = 7",
         "touches 7",
         "version is set without"},
        {"UPDATE t_stock SET name = 'x', version = 4 WHERE sku_id = 7 AND version = 3",
         "touches 7"},
        {"UPDATE t_stock SET sku_id = 8 WHERE sku_id = 7", "touches 7", "key column"},
        // Neither is set.
        {"UPDATE t_stock SET name = 'x' WHERE sku_id = 7", "pass"},
        {"UPDATE t_stock SET name = CONCAT(name, 'stock'), n = n + 1", "pass"},
        {"UPDATE t_stock SET update_time = NOW() WHERE sku_id = 7", "pass"},
        {"UPDATE t_stock SET name = 'x' ORDER BY sku_id LIMIT 3", "pass"},
        {"UPDATE t_stock SET odd = @a := b ?? 1 WHERE sku_id = 7", "pass"},
        {"UPDATE t_stock SET name = 'x' WHERE sku_id = 7 AND stock >= 2", "reads"},
        {"UPDATE t_stock SET name = 'x' WHERE sku_id = 7 AND version = 3", "reads"},
        {"UPDATE t_stock SET name = 'x' ORDER BY stock LIMIT 3", "reads"},
        {"UPDATE t_stock SET last_stock = stock WHERE sku_id = 7", "reads"},
        {"UPDATE t_stock SET low = IF(stock - 2 <= 0, 1, 0) WHERE sku_id = 7", "reads"},
        {"UPDATE t_stock SET a = (SELECT MAX(stock) FROM warehouse_stock w)", "reads"},
        {"UPDATE t_stock SET a = (SELECT MAX(qty) FROM warehouse_stock w)", "reads@1"},
        {"UPDATE t_stock SET a = (SELECT MAX(x) FROM other)", "pass"},
    };
}

std::vector<Row> several_table_rows() {
    return {
        {"UPDATE t_stock p JOIN order_items oi ON oi.product_id = p.sku_id SET p.stock = p.stock - "
         "oi.qty WHERE oi.order_id = 9",
         "touches",
         "several tables"},
        {"UPDATE t_stock p, order_items oi SET p.stock = p.stock - oi.qty WHERE p.sku_id = 7 AND "
         "oi.id = 1",
         "touches 7"},
        {"UPDATE t_stock p, order_items oi SET p.stock = 1 WHERE sku_id = 7 AND oi.id = 1",
         "touches"},
        {"UPDATE order_items oi LEFT JOIN t_stock USING (sku_id) SET stock = stock - 1", "touches"},
        {"UPDATE (orders o JOIN shop.t_stock AS s ON s.sku_id = o.sku_id) SET s.stock = 1",
         "touches"},
        {"UPDATE {OJ orders o LEFT JOIN t_stock s ON s.sku_id = o.sku_id} SET s.stock = 1",
         "touches"},
        {"UPDATE t_stock a, t_stock b SET a.stock = b.stock WHERE a.sku_id = 1", "touches"},
        {"UPDATE t_stock s, warehouse_stock w SET w.qty = 1 WHERE s.sku_id = w.sku_id", "touches"},
        {"UPDATE orders o JOIN t_stock s ON s.sku_id = o.sku_id SET x.stock = 1", "touches"},
        {"UPDATE orders o JOIN t_stock s ON s.sku_id = o.sku_id SET o.status = 1", "pass"},
        {"UPDATE orders o JOIN t_stock s ON s.sku_id = o.sku_id SET o.stock = 1", "pass"},
        {"UPDATE orders o JOIN t_stock s ON s.sku_id = o.sku_id SET o.n = s.stock", "reads"},
        {"UPDATE orders o JOIN t_stock s ON s.stock > 0 SET o.n = 1", "reads"},
        {"UPDATE orders o JOIN t_stock s SET o.n = 1 WHERE s.stock > 0", "reads"},
        {"UPDATE orders o JOIN t_stock s SET o.n = 1, s.name = 'x' WHERE s.sku_id = 7", "pass"},
        {"UPDATE orders o JOIN (SELECT * FROM t_stock) s ON s.id = o.id SET o.stock = 1", "reads"},
        {"UPDATE orders SET n = (SELECT stock FROM t_stock WHERE sku_id = 7) WHERE id = 1",
         "reads"},
        {"UPDATE orders SET n = 1 WHERE id IN (SELECT id FROM (SELECT 1) x JOIN t_stock)", "reads"},
        {"UPDATE orders SET note = 't_stock' WHERE id = 1", "pass"},
        {"UPDATE orders SET t_stock = t_stock - 1 WHERE id = 1", "pass"},
        {"UPDATE orders t_stock SET t_stock.n = 1", "pass"},
        {"UPDATE old.t_stock SET stock = stock - 1 WHERE sku_id = 7", "pass"},
        {"UPDATE stock SET stock_num = stock_num - 1 WHERE product_id = 7", "pass"},
        {"UPDATE products2 SET stock = stock - 1 WHERE id = 7", "pass"},
        {"UPDATE t_stock, SET stock = 1", "touches"},
    };
}

}  // namespace

std::vector<Row> update_rows() {
    std::vector<Row> rows = single_table_rows();
    for (const Row& row : several_table_rows()) rows.push_back(row);
    return rows;
}

}  // namespace rewrite_test
