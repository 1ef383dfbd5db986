'use strict';
// mysql2. Arguments: host port user password schema.

const fs = require('fs');
const base = require('./observe.js');
const mysql = base.load('mysql2');
const promised = base.load('mysql2/promise');

function settings(more) {
  return {
    host: base.host, port: base.port, user: base.user, password: base.password, database: base.schema,
    charset: 'utf8mb4', supportBigNumbers: true, bigNumberStrings: true, dateStrings: true,
    compress: base.mode === 'compress',
    ...(base.mode === 'tls' ? { ssl: { rejectUnauthorized: false } } : {}),
    infileStreamFactory: (name) => fs.createReadStream(name), ...more,
  };
}

const connect = (more) => promised.createConnection(settings(more));

function failure(error) {
  return ['error', error.errno, error.code, error.sqlState, error.sqlMessage || error.message];
}

function columns(fields) {
  return (fields || []).map((field) => (Array.isArray(field) ? columns(field) : field &&
    [field.name, field.table, field.orgName, field.columnType, field.columnLength, field.flags,
      field.decimals, field.characterSet]));
}

async function ask(link, sql, values) {
  try {
    const [rows, fields] = await link.query({ sql, rowsAsArray: true, values });
    return [rows, columns(fields)];
  } catch (error) {
    return failure(error);
  }
}

async function execute(link, sql, values) {
  try {
    const answers = [];
    for (let turn = 0; turn < (values ? 2 : 1); ++turn) {
      const [rows, fields] = await link.execute({ sql, rowsAsArray: true, values });
      answers.push([rows, columns(fields)]);
    }
    return answers;
  } catch (error) {
    return failure(error);
  }
}

const checks = {
  async connect(see) {
    const link = await connect();
    see('same id', (await ask(link, `SELECT CONNECTION_ID() = ${link.threadId} AS same`)));
    see('ping', await link.ping());
    see('session', await ask(link, "SHOW STATUS LIKE 'Compression'"));
    see('cipher', (await ask(link, "SHOW STATUS LIKE 'Ssl_cipher'"))[0][0][1] !== '');
    const logins = { password: { password: 'wrong' }, user: { user: 'nobody' },
      schema: { database: 'nowhere' } };
    for (const [name, login] of Object.entries(logins)) {
      try {
        await connect(login);
        see(`wrong ${name}`, 'UNEXPECTED login');
      } catch (error) {
        see(`wrong ${name}`, failure(error));
      }
    }
  },
  async statements(see) {
    for (const [name, call] of [['text', ask], ['prepared', execute]]) {
      const link = await connect({ multipleStatements: true });
      await ask(link, 'DELETE FROM t_order; ALTER TABLE t_order AUTO_INCREMENT = 1; ' +
        "UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002");
      for (const [number, sql] of base.statements().entries()) {
        see(`${name} ${String(number).padStart(3, '0')} ${sql.slice(0, 50)}`, await call(link, sql));
      }
    }
  },
  async prepared(see) {
    const link = await connect();
    see('kinds', await execute(link, 'SELECT ?, ?, ?, ?, ?, ?',
      [-5, 2.5, 'żółw 😀', null, new Date(Date.UTC(2024, 1, 29, 1, 2, 3)), Buffer.from([0, 1, 254])]));
    see('deduct', await execute(link,
      'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?', [1, 2002, 1]));
    see('types', await execute(link, 'SELECT * FROM t_types WHERE id > ? ORDER BY id', [0]));
    see('call', await execute(link, 'CALL p_two()'));
    see('out', await execute(link, 'CALL p_out(?, @b, @c)', [21]));
    see('call fails', await execute(link, 'CALL p_fails()'));
    const statement = await link.prepare('SELECT i FROM t_thousand WHERE i < ? ORDER BY i');
    for (const to of [3, 500]) see(`statement ${to}`, (await statement.execute([to]))[0].length);
    await statement.close();
    see('behind', await ask(link, 'SELECT 1'));
  },
  async results(see) {
    const link = await connect({ multipleStatements: true });
    for (const [number, sql] of ["SELECT 1; SELECT 2, 'b'; DO 1", 'CALL p_two()',
      'SELECT 1; SELECT * FROM nowhere; SELECT 3', 'CALL p_fails()', 'CALL p_two(); SELECT 9'].entries()) {
      see(number, await ask(link, sql));
    }
    see('off', await ask(await connect(), 'SELECT 1; SELECT 2'));
  },
  async 'found rows'(see) {
    for (const flags of ['FOUND_ROWS', '-FOUND_ROWS']) {
      const link = await connect({ flags: [flags] });
      for (const value of ['stock', 'stock + 1']) {
        see(`${flags} ${value}`, await ask(link, `UPDATE t_stock SET stock = ${value} WHERE sku_id = 2002`));
      }
    }
  },
  async transactions(see) {
    const [link, other] = [await connect(), await connect()];
    const look = "SELECT COUNT(*) FROM t_order WHERE order_no = 'C-1'";
    await link.beginTransaction();
    await ask(link, "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('C-1', 1, 1)");
    see('not seen', await ask(other, look));
    await link.commit();
    see('seen', await ask(other, look));
    await link.beginTransaction();
    await ask(link, "DELETE FROM t_order WHERE order_no = 'C-1'");
    await link.rollback();
    see('rollback', await ask(link, look));
  },
  async big(see) {
    const link = await connect();
    see('prepared', await execute(link, 'REPLACE INTO t_blob VALUES (1, ?)', [base.blob]));
    see('text', await ask(link, 'REPLACE INTO t_blob VALUES (2, ?)', [base.blob]));
    see('arrived', await ask(link, 'SELECT id, LENGTH(body), SHA2(body, 256) FROM t_blob ORDER BY id'));
    const [[row]] = await link.query('SELECT body FROM t_blob WHERE id = 1');
    see('read', base.sha1(row.body));
    const [[again]] = await link.execute('SELECT body FROM t_blob WHERE id = 2');
    see('read prepared', base.sha1(again.body));
  },
  async stream(see) {
    const link = mysql.createConnection(settings());
    let count = 0;
    let sum = 0;
    await new Promise((resolve, reject) => {
      link.query(base.stream).stream().on('data', (row) => { count += 1; sum += Number(row.n); })
        .on('error', reject).on('end', resolve);
    });
    see('all', [count, sum]);
    // Commands that wait in the driver's queue, and an error among them.
    const answers = await Promise.all(['SELECT 1', 'SELECT * FROM nowhere', 'SELECT 2', 'DO 1'].map(
      (sql) => new Promise((resolve) => {
        link.query(sql, (error, rows) => resolve(error ? failure(error) : rows));
      })));
    see('queued', answers);
  },
  async load(see) {
    const link = await connect();
    for (const name of ['small', 'large', 'empty', 'missing', 'bad']) {
      see(name, await ask(link,
        `LOAD DATA LOCAL INFILE '${base.files}/${name}.tsv' INTO TABLE t_load (id, body)`));
      see(`${name}, loaded`, await ask(link,
        'SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load'));
      await ask(link, 'DELETE FROM t_load');
    }
  },
  async kill(see) {
    for (const verb of ['KILL QUERY', 'KILL']) {
      const [link, other] = [await connect(), await connect()];
      link.on('error', () => {});
      const sleeping = ask(link, 'SELECT SLEEP(20)');
      await base.untilAsleep(async (sql) => (await ask(other, sql))[0][0][0], link.threadId);
      await ask(other, `${verb} ${link.threadId}`);
      see(verb, await sleeping);
      see(`${verb}, next`, await ask(link, 'SELECT 6'));
    }
  },
  async 'change user'(see) {
    const link = await connect();
    const look = 'SELECT CURRENT_USER(), DATABASE(), @kept';
    await ask(link, 'SET @kept = 1');
    await link.changeUser({ user: 'other', password: 'stockgate-other', database: 'shop' });
    see('changed', await ask(link, look));
    try {
      await link.changeUser({ user: 'other', password: 'wrong', database: 'shop' });
      see('wrong', 'UNEXPECTED');
    } catch (error) {
      see('wrong', failure(error));
    }
    if (link.reset) {
      const reset = await connect();
      await ask(reset, 'SET @kept = 1');
      await reset.reset();
      see('reset', await ask(reset, look));
    }
  },
};

base.run(checks);
