'use strict';
// What the Node programs print: one observation a line, name, tab, value.

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const [host, port, user, password, schema] = process.argv.slice(2);
const mode = process.env.STOCKGATE_CONFORMANCE_MODE || 'plain';
const files = process.env.STOCKGATE_CONFORMANCE_FILES || '.';
const stream = "SELECT a.i * 1000 + b.i AS n, REPEAT('x', 40) AS pad FROM t_thousand a, " +
  't_thousand b WHERE a.i <= 200 ORDER BY 1';
const blob = Buffer.alloc(20 << 20);
for (let index = 0; index < blob.length; ++index) blob[index] = index * 31 + Math.floor(index / 253);

function load(name) {
  return require(path.join(process.env.STOCKGATE_NODE_MODULES, name));
}

// For drivers that are ECMAScript modules, which cannot be required by their folder.
async function loadModule(name) {
  const folder = path.join(process.env.STOCKGATE_NODE_MODULES, name);
  const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const module = await import(pathToFileURL(path.join(folder, about.main || 'promise.js')));
  return module.default || module;
}

function sha1(data) {
  return crypto.createHash('sha1').update(data).digest('hex');
}

function observe(name, value) {
  let text = JSON.stringify(value, (key, item) => {
    if (typeof item === 'bigint') return `${item}n`;
    if (item && item.type === 'Buffer' && item.data.length > 200) {
      return `${item.data.length} bytes, sha1 ${sha1(Buffer.from(item.data))}`;
    }
    return item === undefined ? 'undefined' : item;
  });
  if (text === undefined) text = 'undefined';
  if (text.length > 2000) text = `${text.slice(0, 60)}.. ${text.length} letters, sha1 ${sha1(text)}`;
  process.stdout.write(`${name}\t${text.replace(/\t/g, '\\t')}\n`);
}

function statements() {
  return fs.readFileSync(path.join(__dirname, 'statements.txt'), 'utf8').split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

async function run(checks) {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check((part, value) => observe(`${name}.${part}`, value));
    } catch (error) {
      process.stdout.write(`${name}.end\tUNEXPECTED ${String(error).replace(/\s+/g, ' ')}\n`);
    }
  }
  process.exit(0);
}

// Waits until the server runs the query of that connection.
async function untilAsleep(ask, id) {
  for (let turn = 0; turn < 500; ++turn) {
    const count = await ask('SELECT COUNT(*) AS c FROM information_schema.processlist WHERE ' +
      `id = ${id} AND info LIKE 'SELECT SLEEP%'`);
    if (Number(count) === 1) return;
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

module.exports = {
  host, port: Number(port), user, password, schema, mode, files, stream, blob, load, loadModule, sha1,
  statements, run, untilAsleep,
};
