// The checklist with mysql2 for Node. Prints one observation per line: name, tab, value.
'use strict';

const crypto = require('crypto');
const path = require('path');
const mysql = require(path.join(process.env.STOCKGATE_NODE_MODULES, 'mysql2/promise'));

const [host, port, user, password, database, firstSku] = process.argv.slice(2);
const sku = (offset) => Number(firstSku) + offset;
const guarded = 'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?';
const unguarded = 'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ?';
const blobBytes = 20 * 1024 * 1024;

function observe(name, value) {
  console.log(`${name}\t${JSON.stringify(value)}`);
}

function connect(flags) {
  return mysql.createConnection({
    host, port: Number(port), user, password, database, flags,
    multipleStatements: true, charset: 'utf8mb4', dateStrings: true,
  });
}

// A value, or the error's number and state: what an application can see of it.
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.errno === undefined || error.sqlState === undefined) throw error;
    return `error ${error.errno} ${error.sqlState}`;
  }
}

const run = (link, sql, values) =>
  attempt(async () => (await link.query(sql, values))[0].affectedRows);
const execute = (link, sql, values) =>
  attempt(async () => (await link.execute(sql, values))[0].affectedRows);
const deduct = (link, offset, units) => run(link, guarded, [units, sku(offset), units]);
const prepared = (link, offset, units) => execute(link, guarded, [units, sku(offset), units]);

async function one(link, sql) {
  const [rows] = await link.query({ sql, rowsAsArray: true });
  return rows[0][0];
}

// MariaDB's own variable; elsewhere the error, which must then be the same too.
const inTransaction = (link) => attempt(() => one(link, 'SELECT @@in_transaction'));

async function checkBasics(link) {
  observe('login', (await link.query('SELECT CURRENT_USER(), DATABASE()'))[0]);
  observe('text.row', (await link.query("SELECT 1, 'a', NULL, 1.5, DATE('2024-02-29')"))[0]);
  observe('text.utf8', await one(link, "SELECT 'żółć 漢字 😀'"));
  observe('prepared.row', (await link.execute(
    "SELECT ? + 1, CONCAT(?, '-'), ? IS NULL", [41, 'żółć 😀', null]))[0]);
  const many = 'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)' +
    " SELECT i, REPEAT('x', i) AS x FROM n";
  const [rows] = await link.execute(many);
  observe('prepared.rows', [rows.length, rows[999].i, rows[999].x.length]);
  observe('multi.statements', (await link.query('SELECT 1; SELECT 2, 3; SELECT 4'))[0]);
  const [results] = await link.query('CALL p_two_results()');
  observe('multi.procedure', results.slice(0, 2));
  const [binary] = await link.execute('CALL p_two_results()');
  observe('multi.procedure.prepared', binary.slice(0, 2));
}

async function checkBlob(link) {
  const blob = Buffer.alloc(blobBytes, 'stockgate');
  await link.query('DELETE FROM t_blob');
  observe('blob.insert', await execute(link, 'INSERT INTO t_blob VALUES (1, ?)', [blob]));
  observe('blob.stored', (await link.query('SELECT LENGTH(body), SHA2(body, 256) FROM t_blob'))[0]);
  const [rows] = await link.query('SELECT body FROM t_blob');
  observe('blob.read', crypto.createHash('sha256').update(rows[0].body).digest('hex'));
}

async function checkErrors(link) {
  observe('error.table', await run(link, 'SELECT * FROM no_such_table'));
  observe('error.syntax', await execute(link, 'SELEC 1', []));
  await run(link, 'DELETE FROM t_plain WHERE id = 77');
  await run(link, 'INSERT INTO t_plain VALUES (77, 1)');
  observe('error.duplicate', await execute(link, 'INSERT INTO t_plain VALUES (?, 1)', [77]));
  observe('after.error', await one(link, 'SELECT 1'));
}

async function checkDeductions(link) {
  const [sold] = await link.query(guarded, [3, sku(0), 3]);
  observe('ac.sold', [sold.affectedRows, sold.changedRows, sold.info, sold.warningStatus,
    sold.insertId, sold.serverStatus]);
  observe('ac.sold.row_count', await one(link, 'SELECT ROW_COUNT()'));
  const [refused] = await link.query(guarded, [9, sku(0), 9]);
  observe('ac.refused', [refused.affectedRows, refused.info, refused.serverStatus]);
  observe('ac.last', await deduct(link, 0, 7));

  await link.beginTransaction();
  const [order] = await link.query(
    "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('node-1', 1, 4)");
  const [inside] = await link.query(guarded, [4, sku(1), 4]);
  observe('tx.affected', [inside.affectedRows, inside.info, inside.serverStatus]);
  observe('tx.row_count', await one(link, 'SELECT ROW_COUNT()'));
  observe('tx.last_insert_id', (await one(link, 'SELECT LAST_INSERT_ID()')) - order.insertId);
  await link.commit();

  await link.beginTransaction();
  observe('rb.affected', await deduct(link, 2, 10));
  observe('rb.refused', await prepared(link, 2, 1));
  await link.rollback();
  observe('rb.again', await prepared(link, 2, 10));

  await link.beginTransaction();
  observe('savepoint.steps', [
    await prepared(link, 3, 1), await run(link, 'SAVEPOINT a'), await prepared(link, 3, 2),
    await run(link, 'ROLLBACK TO SAVEPOINT a'), await deduct(link, 3, 4), await run(link, 'COMMIT')]);
  observe('autocommit0.steps', [
    await run(link, 'SET autocommit=0'), await deduct(link, 4, 2), await run(link, 'COMMIT'),
    await prepared(link, 4, 3), await run(link, 'ROLLBACK'), await run(link, 'SET autocommit=1')]);
}

async function checkPrepared(link) {
  const [sold] = await link.execute(guarded, [2, sku(5), 2]);
  observe('prepared.sold', [sold.affectedRows, sold.info, sold.serverStatus]);
  observe('prepared.refused', await prepared(link, 5, 20));
  await link.beginTransaction();
  observe('prepared.tx', await prepared(link, 5, 3));
  await link.commit();
  observe('prepared.strings', await execute(link, guarded, ['1', String(sku(15)), '1']));
  observe('prepared.null', [
    await execute(link, guarded, [null, sku(15), 1]),
    await execute(link, guarded, [1, null, 1]),
    await execute(link, guarded, [1, sku(15), null])]);
}

async function checkSpecial(link) {
  observe('unguarded.sold', await run(link, unguarded, [4, sku(6)]));
  observe('unguarded.refused', await run(link, unguarded, [7, sku(6)]));
  observe('unguarded.prepared', await execute(link, unguarded, [7, sku(6)]));
  await link.beginTransaction();
  observe('unguarded.tx', [await execute(link, unguarded, [7, sku(6)]), await run(link, 'COMMIT')]);
  await deduct(link, 7, 5);
  observe('return', await execute(
    link, 'UPDATE t_stock SET stock = stock + ? WHERE sku_id = ?', [2, sku(7)]));
  await link.beginTransaction();
  observe('ddl.steps', [await deduct(link, 11, 3),
    await run(link, 'CREATE TABLE IF NOT EXISTS t_scratch (a INT)'), await run(link, 'ROLLBACK')]);
  await link.beginTransaction();
  observe('error.in_tx', [await prepared(link, 12, 3),
    await run(link, 'INSERT INTO t_plain VALUES (77, 1)'), await run(link, 'COMMIT')]);
  observe('gather', [await deduct(link, 13, 8), await deduct(link, 13, 3),
    await prepared(link, 13, 2)]);
}

async function checkEndings(link) {
  const same = 'UPDATE t_plain SET stock = stock WHERE id = 77';
  const blind = await connect(['-FOUND_ROWS']);
  const finding = await connect(['FOUND_ROWS']);
  observe('found', [await run(blind, same), await run(finding, same)]);
  observe('found.hot', [await deduct(finding, 14, 1), await deduct(blind, 14, 100)]);

  await blind.beginTransaction();
  observe('reset.affected', await deduct(blind, 8, 3));
  await blind.reset();
  observe('reset.in_tx', await inTransaction(blind));
  await blind.beginTransaction();
  observe('change_user.affected', await prepared(blind, 9, 3));
  await blind.changeUser({ user, password, database });
  observe('change_user.in_tx', await inTransaction(blind));
  observe('change_user.login', await one(blind, 'SELECT CURRENT_USER()'));

  await finding.beginTransaction();
  observe('disconnect.affected', await deduct(finding, 10, 3));
  finding.connection.stream.destroy();
  await blind.end();
}

async function checkCold(link) {
  const statements = {
    cold: 'UPDATE t_stock SET stock = stock - 3 WHERE sku_id = 900000 AND stock >= 3',
    plain: 'UPDATE t_plain SET stock = stock - 3 WHERE id = 1 AND stock >= 3',
  };
  for (const [name, sql] of Object.entries(statements)) {
    const [text] = await link.query(sql);
    const [binary] = await link.execute(sql);
    observe(`${name}.sold`, [text, binary]);
  }
  observe('cold.stock', await one(link, 'SELECT stock FROM t_stock WHERE sku_id = 900000'));
}

async function main() {
  const link = await connect([]);
  for (const check of [checkBasics, checkBlob, checkErrors, checkDeductions, checkPrepared,
    checkSpecial, checkEndings, checkCold]) {
    await check(link);
  }
  await link.end();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
