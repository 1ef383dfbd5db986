// Statements that are deductions or returns, in the shapes that drivers and ORMs send.

#include "row.hpp"

namespace rewrite_test {

std::vector<Row> deduction_rows() {
    return {
        // The canonical forms.
        {"UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?",
         "hot ?1 -?0 >=?2 params:3"},
        {"UPDATE t_stock SET stock = stock - 2 WHERE sku_id = 1001 AND stock >= 2",
         "hot 1001 -2 >=2"},
        {"UPDATE t_stock SET stock = stock - ? WHERE sku_id = ?", "hot ?1 -?0 params:2"},
        {"UPDATE t_stock SET stock = stock + ? WHERE sku_id = ?", "hot ?1 ?0 params:2"},
        {"update t_stock set stock=stock-? where sku_id=? and stock>=?",
         "hot ?1 -?0 >=?2 params:3"},
        {"UpDaTe T_STOCK sEt StOcK = STOCK - 1 wHeRe SKU_ID = 7", "hot 7 -1"},
        {"update t_stock\n\tset stock = stock\r\n - 2\n\n where sku_id = 7\n", "hot 7 -2"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7;", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 ; -- done", "hot 7 -1"},
        {"UPDATE LOW_PRIORITY t_stock SET stock = stock - 1 WHERE sku_id = 7", "hot 7 -1"},
        {"UPDATE t_stock SET stock := stock - 1 WHERE sku_id = 7", "hot 7 -1"},
        // Names.
        {"UPDATE `t_stock` SET `stock` = `stock` - 1 WHERE `sku_id` = 7", "hot 7 -1"},
        {"UPDATE shop.t_stock SET stock = stock - 1 WHERE sku_id = 7", "hot 7 -1"},
        {"UPDATE `shop` . `t_stock` SET stock = stock - 1 WHERE sku_id = 7", "hot 7 -1"},
        {"UPDATE SHOP.T_Stock SET stock = stock - 1 WHERE sku_id = 7", "hot 7 -1"},
        {"UPDATE .t_stock SET stock = stock - 1 WHERE sku_id = 7", "hot 7 -1"},
        {"UPDATE t_stock SET t_stock.stock = t_stock.stock - 1 WHERE t_stock.sku_id = 7",
         "hot 7 -1"},
        {"UPDATE shop.t_stock SET shop.t_stock.stock = shop.t_stock.stock - 1 "
         "WHERE shop.t_stock.sku_id = 7",
         "hot 7 -1"},
        {"UPDATE t_stock s SET s.stock = s.stock - 1 WHERE s.sku_id = 7", "hot 7 -1"},
        {"UPDATE t_stock AS s SET s.stock = stock - 1 WHERE S.sku_id = 7", "hot 7 -1"},
        {"UPDATE t_stock AS `set` SET `set`.stock = stock - 1 WHERE sku_id = 7", "hot 7 -1"},
        {"UPDATE `odd``name` SET stock = stock - 1 WHERE id = 7", "hot@4 7 -1"},
        {"UPDATE seata_stock.stock set stock_num = stock_num - 2 WHERE product_id = 7 and  "
         "(stock_num - 2) >= 0",
         "hot@2 7 -2 >=2"},
        // Composite keys, in any order.
        {"UPDATE warehouse_stock SET qty = qty - ? WHERE sku_id = ? AND warehouse_id = ?",
         "hot@1 ?2/?1 -?0 params:3"},
        {"UPDATE warehouse_stock SET qty = qty - 1 WHERE warehouse_id = 'N' AND sku_id = 7 AND "
         "qty > 0",
         "hot@1 'N'/7 -1 >=1"},
        // Comments and hints.
        {"/* trace=1 */ UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7", "hot 7 -1"},
        {"/* update com.x.Stock */ update t_stock set stock=stock-? where sku_id=?",
         "hot ?1 -?0 params:2"},
        {"-- one\nUPDATE t_stock # two\nSET stock = stock - 1 /* three */ WHERE sku_id = 7",
         "hot 7 -1"},
        {"UPDATE /*+ COMMIT_ON_SUCCESS TARGET_AFFECT_ROW(1) */ t_stock SET stock = stock - 1 "
         "WHERE sku_id = 7",
         "hot 7 -1"},
        {"/*!50001 UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 */", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 /*!99999 - 5 */ WHERE sku_id = 7", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 /*! - 5 */ WHERE sku_id = 7", "hot 7 -6"},
        // Version and time columns.
        {"UPDATE t_stock SET stock = stock - 1, version = version + 1 WHERE sku_id = 7",
         "hot 7 -1 version"},
        {"UPDATE t_stock SET version = 1 + version, stock = stock - 1 WHERE sku_id = 7",
         "hot 7 -1 version"},
        {"update t_stock set stock = stock - 2, version = version + 1,update_time = NOW() where "
         "sku_id = 7 and 2 <= stock",
         "hot 7 -2 >=2 version time:update_time"},
        {"UPDATE t_stock SET update_time = now(), stock = stock - 1 WHERE sku_id = 7",
         "hot 7 -1 time:update_time"},
        {"UPDATE t_stock SET update_time = NOW(6), stock = stock - 1 WHERE sku_id = 7",
         "hot 7 -1 time:update_time"},
        {"UPDATE t_stock SET update_time = CURRENT_TIMESTAMP, stock = stock - 1 WHERE sku_id = 7",
         "hot 7 -1 time:update_time"},
        {"UPDATE t_stock SET stock = stock - 1, update_time = current_timestamp(3), modified = "
         "sysdate() WHERE sku_id = 7",
         "hot 7 -1 time:update_time time:modified"},
        {"UPDATE t_stock SET stock = stock - 1, modified = LOCALTIME WHERE sku_id = 7",
         "hot 7 -1 time:modified"},
        {"UPDATE t_stock SET stock = stock - 1, modified = LOCALTIMESTAMP() WHERE sku_id = 7",
         "hot 7 -1 time:modified"},
        {"UPDATE t_stock SET stock = stock - 1, modified = UTC_TIMESTAMP() WHERE sku_id = 7",
         "hot 7 -1 time:modified"},
        {"UPDATE t_stock SET stock = stock - 1, modified = '2025-01-01 00:00:00' WHERE sku_id = 7",
         "hot 7 -1 time:modified"},
        {"UPDATE t_stock SET stock = stock - 1, modified = TIMESTAMP '2025-01-01 00:00:00' WHERE "
         "sku_id = 7",
         "hot 7 -1 time:modified"},
        {"UPDATE t_stock SET stock = stock - 1, modified = {ts '2025-01-01 00:00:00'} WHERE "
         "sku_id = 7",
         "hot 7 -1 time:modified"},
        {"UPDATE t_stock SET stock = stock - ?, modified = ? WHERE sku_id = ?",
         "hot ?2 -?0 time:modified params:3"},
        // ORMs.
        {"update t_stock ts1_0 set stock=(ts1_0.stock-?) where ts1_0.sku_id=? and ts1_0.stock>=?",
         "hot ?1 -?0 >=?2 params:3"},
        {"UPDATE t_stock SET stock = stock - 2 WHERE (sku_id = 7 AND stock >= 2)", "hot 7 -2 >=2"},
        {"UPDATE `t_stock` SET `stock` = (`t_stock`.`stock` - 2) WHERE (`t_stock`.`sku_id` = 7 "
         "AND `t_stock`.`stock` >= 2)",
         "hot 7 -2 >=2"},
        {"UPDATE `products` SET `products`.`stock` = COALESCE(`products`.`stock`, 0) - 1, "
         "`products`.`updated_at` = '2025-01-01 10:00:00' WHERE `products`.`id` = 7",
         "hot@3 7 -1 time:updated_at"},
        {"UPDATE `products` SET stock = stock - 1 WHERE `products`.`id` = 7 AND (stock >= 1)",
         "hot@3 7 -1 >=1"},
        {"update `products` set `stock` = `stock` - 2, `products`.`updated_at` = ? where `id` = ?",
         "hot@3 ?1 -2 time:updated_at params:2"},
        {"UPDATE `products` SET `stock` = `stock` - 2, `lock_version` = `lock_version` + 1, "
         "`updated_at` = CURRENT_TIMESTAMP WHERE `id` = 7",
         "hot@3 7 -2 version time:updated_at"},
        {"UPDATE `Products` AS `p`\nSET `p`.`Stock` = `p`.`Stock` - CAST(2 AS signed)\nWHERE "
         "(`p`.`Id` = 7) AND (`p`.`Stock` >= 2)",
         "hot@3 7 -2 >=2"},
        {"UPDATE t_stock SET stock=(t_stock.stock - 2) WHERE t_stock.sku_id = 7 AND "
         "t_stock.stock >= 2",
         "hot 7 -2 >=2"},
        {"UPDATE t_stock SET stock = (stock - 2) WHERE sku_id = '42'", "hot '42' -2"},
        // LIMIT says nothing where the key names one row.
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND stock > 0 LIMIT 1",
         "hot 7 -1 >=1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 LIMIT 10", "hot 7 -1"},
        // Keys.
        {"UPDATE t_stock SET stock = stock - 1 WHERE 7 = sku_id", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE ? = sku_id", "hot ?0 -1 params:1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE (((sku_id))) = ((7))", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = -7", "hot -7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = +7", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = - -7", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 007", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7.00", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = -0", "hot 0 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 18446744073709551615",
         "hot 18446744073709551615 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = -9223372036854775808",
         "hot -9223372036854775808 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = CAST(7 AS SIGNED)", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 'A''1'", "hot 'A'1' -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = \"A\\\\1\"", "hot 'A\\1' -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 'A' '1'", "hot 'A1' -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = N'A1'", "hot 'A1' -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id IN (7)", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE (sku_id) IN ((?))", "hot ?0 -1 params:1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND sku_id = 7", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 && stock >= 1", "hot 7 -1 >=1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE 1 = 1 AND sku_id = 7 AND TRUE", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND (1)", "hot 7 -1"},
        {"UPDATE t_stock SET stock = stock - 1 WHERE NOT NOT sku_id = 7", "hot 7 -1"},
    };
}

}  // namespace rewrite_test
