/**
 * Tests a PostgreSQL cluster of three machines under Patroni while two instances of the built product are in use. The machines fail one
 * after another: `npm run test:ha -- [--rounds 3] [--only <part of a name>] [--minutes 60] [--tools <directory>] [--publish]`. Acknowledged
 * writes must exist exactly once, and no response may have status 500. An ended session must be refused everywhere within a second after
 * the fault. `--publish` writes the table of docs/guides/operating/failover.md. The last line of output is "ha: N passed, N failed".
 */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { finish, promise } from '../../.ci/support/promises.mjs';
import { administratorOf, makeScratch, Product, removeScratch, until } from '../../.ci/support/servers.mjs';
import { Cluster } from './cluster.mjs';
import { ask, Driver, revocationMs } from './driver.mjs';
import { FAULTS } from './faults.mjs';
import { publish } from './report.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    minutes: { type: 'string', default: '60' },
    tools: { type: 'string', default: join(tmpdir(), 'lintel-ha') },
    publish: { type: 'boolean', default: false },
  },
});
const EMPTY = { rounds: 0, acknowledged: 0, lost: 0, doubled: 0, faults: 0 };
const deadline = performance.now() + Number(options.minutes) * 60_000;
/** Approximate maximum duration of a round. */
const ROUND_MS = 75_000;
const TOOLS = fileURLToPath(new URL('tools', import.meta.url));
const scratch = makeScratch();
const results = new Map();
let cluster;
let instances;

try {
  const { stdout, stderr, status } = spawnSync(TOOLS, [options.tools], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  cluster = await Cluster.start(scratch, stdout.trim());
  instances = await startInstances();
  const token = await administratorOf(...instances.products);
  const fields = [{ name: 'title', type: 'string' }];
  await right(instances.origins[0], 'POST', '/api/schema', {
    token,
    body: { name: 'note', namespace: 'notes', label_field: 'title', fields },
  });
  const driver = new Driver({ origin: `http://127.0.0.1:${cluster.servicePort}`, token, cluster, scratch });
  await until(
    async () => (await ask(driver.origin, 'GET', '/api/content/notes', { token })).status === 200,
    'all of it',
  );
  driver.start();
  const names = Object.keys(FAULTS).filter((name) => name.includes(options.only));
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (const name of names) {
      if (performance.now() + ROUND_MS > deadline) console.log(`NOT RUN: ${name}, because the time limit is reached`);
      else await strike(name, driver, token);
    }
  await driver.stop();
  await promise('the instances stop cleanly, and have logged no error', async () => {
    for (const product of instances.products) {
      const code = await product.stop();
      const logged = product.stdout.split('\n').filter((line) => /"level":(50|60)/.test(line));
      if (code !== 0 || product.stderr !== '' || logged.length > 0)
        throw new Error(`the process exited with ${code}: ${product.stderr}${logged[0] ?? ''}`);
    }
  });
  console.log(`     ${driver.acknowledged.size} records and ${driver.schemas.size} schemas were acknowledged`);
  console.log(`     beside: ${JSON.stringify(driver.beside)}; responses: ${JSON.stringify(driver.answers)}`);
  if (options.publish) publish([...results.values()], process.argv.slice(2));
} catch (error) {
  await promise('the cluster runs', () => Promise.reject(error));
} finally {
  await Promise.all((instances?.products ?? []).map((one) => one.end('SIGKILL')));
  await cluster?.stop();
  if (process.env.KEEP_SCRATCH === undefined) removeScratch(scratch);
  else console.log(`     kept: ${scratch}`);
}
finish('ha');

/** Starts both instances. One finds the leader itself, the other connects through the proxy. */
async function startInstances() {
  const urls = [cluster.hostsUrl(), cluster.proxyUrl()];
  const products = [];
  const start = async (at) => {
    const env = {
      PORT: String(cluster.instancePorts[at]),
      DATABASE_URL: urls[at],
      LOG_LEVEL: 'warn',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
    };
    products[at] = await Product.start(scratch, `instance${at}`, { ...env, APP_URL: 'http://lintel.test' });
  };
  for (const at of [0, 1]) await start(at);
  return {
    products,
    start,
    origins: cluster.instancePorts.map((port) => `http://127.0.0.1:${port}`),
    kill: (at) => products[at].end('SIGKILL'),
  };
}

function strike(name, driver, token) {
  const row = results.get(name) ?? { fault: name, ...EMPTY, withoutWrite: [], revocation: [] };
  return promise(name, async () => {
    const before = { acknowledged: driver.acknowledged.size, faults: driver.faults.length };
    const from = performance.now();
    await delay(1_000);
    const repair = await FAULTS[name]({ cluster, instances });
    if (typeof repair === 'string') return console.log(`NOT RUN: ${name}: ${repair}`);
    await repair?.();
    await cluster.healthy();
    await until(() => writes(token), 'both instances to write');
    const withoutWrite = driver.gapSince(from);
    const revocation = await revocationMs(instances.origins);
    const { lost, doubled } = await countWrong(driver);
    const faults = driver.faults.slice(before.faults);
    row.rounds += 1;
    row.acknowledged += driver.acknowledged.size - before.acknowledged;
    row.lost += lost.length;
    row.doubled += doubled.length;
    row.faults += faults.length;
    row.withoutWrite.push(Math.round(withoutWrite * 10) / 10);
    row.revocation.push(revocation);
    results.set(name, row);
    console.log(`     ${withoutWrite.toFixed(1)} s without writes, a revoked session refused after ${revocation} ms`);
    if (lost.length + doubled.length > 0)
      throw new Error(
        `acknowledged records: ${lost.length} lost (${lost[0]}), ${doubled.length} doubled (${doubled[0]})`,
      );
    if (faults.length > 0) throw new Error(`${faults.length} responses were neither correct nor 503: ${faults[0]}`);
    await compareSchemas(driver, token);
    if (revocation > 1_000) throw new Error(`a revoked session was refused after ${revocation} ms`);
    return undefined;
  });
}

async function writes(token) {
  const answers = await Promise.all(
    instances.origins.map((origin) => ask(origin, 'POST', '/api/content/notes', { token, body: { title: 'probe' } })),
  );
  return answers.every(({ status }) => status === 201);
}

async function countWrong(driver) {
  const due = [...driver.acknowledged];
  const rows = await cluster.sql(
    `SELECT title, count(*)::int AS count FROM notes WHERE title <> 'probe' GROUP BY title`,
  );
  const found = new Set(rows.map(({ title }) => title));
  return {
    lost: due.filter((title) => !found.has(title)),
    doubled: rows.filter(({ count }) => count > 1).map(({ title }) => title),
  };
}

/** Compares the schemas in the memory of each instance with the database and the acknowledged schemas. */
async function compareSchemas(driver, token) {
  const due = [...driver.schemas];
  for (const origin of instances.origins) {
    const { body } = await right(origin, 'GET', '/api/schema', { token });
    const known = new Set(body.data.map(({ name }) => name));
    const missing = due.filter((name) => !known.has(name));
    if (missing.length > 0) throw new Error(`${missing.length} acknowledged schemas are missing: ${missing[0]}`);
    await until(
      async () => {
        const [{ version }] = await cluster.sql('SELECT max(version) AS version FROM schema_versions');
        const { tag } = await right(origin, 'GET', '/api/schema', { token });
        return tag.replace(/\D/g, '') === String(version);
      },
      'an instance to know the schemas of the database',
      3_000,
    );
  }
}

async function right(origin, method, path, request) {
  const answer = await ask(origin, method, path, request);
  if (answer.status === 0 || answer.status >= 300)
    throw new Error(`${method} ${path} returned ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
