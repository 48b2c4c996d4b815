import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PGBENCH = process.env.PGBENCH ?? '/usr/lib/postgresql/15/bin/pgbench';
/** A random id from pgbench: 48 bits, so that collisions are practically impossible. */
const MAKE_NUMBER = '\\set n random(1, 281474976710655)\n';
const NEW_ID = "('00000000-0000-7000-8000-' || lpad(to_hex((:n)::bigint), 12, '0'))";
const NEW_WORD = "('pgbench-' || (:n)::text)";
/** pgbench accepts at most 128 scripts. */
const MOST_SCRIPTS = 64;

export function hasPgbench() {
  return existsSync(PGBENCH);
}

/**
 * Runs the same statements with pgbench (prepared, with the product's number of connections). Returns transactions per second, p50 and p99
 * in ms. Statements of one post run for many posts; new records get random ids and words.
 */
export async function runPgbench({ captured, ids, address, connections, seconds }) {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-pgbench-'));
  try {
    const some = captured.isNew || !varies(captured) ? [captured.id] : ids.slice(0, MOST_SCRIPTS);
    const scripts = some.map((id, index) => {
      const file = join(directory, `${index}.sql`);
      writeFileSync(file, scriptOf(captured, id));
      return ['-f', file];
    });
    const log = ['-l', '--log-prefix', join(directory, 'log')];
    const load = ['-n', '-M', 'prepared', '-c', String(connections), '-j', '2', '-T', String(seconds)];
    const text = await run([...load, ...log, ...scripts.flat(), ...target(address)], address.password);
    const logs = readdirSync(directory).filter((name) => name.startsWith('log'));
    const times = logs.flatMap((name) => readTimes(join(directory, name))).toSorted((left, right) => left - right);
    const at = (share) => Number((times[Math.floor(times.length * share)] / 1_000).toFixed(1));
    return { perSecond: Math.round(Number(/tps = ([\d.]+)/.exec(text)[1])), p50: at(0.5), p99: at(0.99) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function varies({ statements, id }) {
  return JSON.stringify(statements).includes(id);
}

/** Parameters become literals, because pgbench prepares each statement as a whole. */
function scriptOf({ statements, id: oldId, word, isNew }, id) {
  const lines = statements.map(({ text, parameters }) => {
    const sql = text.replace(/\$(\d+)/g, (_, number) => literal(parameters[number - 1]));
    return `${withoutVariables(sql).replace(/\s*\n\s*/g, ' ')};`;
  });
  return `${MAKE_NUMBER}${lines.join('\n')}\n`;

  function literal(value) {
    if (value === null || value === undefined) return 'NULL';
    if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
    if (typeof value !== 'string') return String(value);
    const own = value.replaceAll(oldId, isNew ? oldId : id);
    if (isNew && own === oldId) return NEW_ID;
    if (own === word) return NEW_WORD;
    const quoted = quote(own);
    const withId = isNew && own.includes(oldId) ? `replace(${quoted}, ${quote(oldId)}, ${NEW_ID})` : quoted;
    return own.includes(word) ? `replace(${withId}, ${quote(word)}, ${NEW_WORD})` : withId;
  }
}

/** Escapes `:` in the literals of a statement: pgbench would treat `:MI` as a variable. */
function withoutVariables(sql) {
  return sql.replace(/'(?:[^']|'')*'/g, (text) =>
    /:\w/.test(text) ? `E${text.replaceAll('\\', '\\\\').replaceAll(':', '\\x3a')}` : text,
  );
}

function quote(text) {
  return `'${text.replaceAll("'", "''")}'`;
}

function target(address) {
  if ('url' in address) return [address.url];
  return ['-h', address.host, '-p', String(address.port), '-U', address.username, address.database];
}

/** The line format is: client, number, time in µs, script, second, microsecond. */
function readTimes(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => Number(line.split(' ')[2])).filter(Number.isFinite);
}

function run(args, password) {
  const env = { ...process.env, ...(password ? { PGPASSWORD: password } : {}) };
  const child = spawn(PGBENCH, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0 && !/aborted/.test(text)) resolve(text);
      else reject(new Error(`pgbench exited with ${code}: ${text.slice(-2_000)}`));
    });
  });
}
