/**
 * Tests two instances of the built product that read from a standby with half a second of lag: `node test/ha/replica.mjs [writes]`. Clients
 * must see their own writes on both instances, and a missing standby must not cause errors. The last line of output is "replica: N passed,
 * N failed".
 */
import { setTimeout as delay } from 'node:timers/promises';
import { finish, promise } from '../../.ci/support/promises.mjs';
import {
  administratorOf,
  freePort,
  makeScratch,
  Postgres,
  Product,
  removeScratch,
  until,
} from '../../.ci/support/servers.mjs';

const WRITES = Number(process.argv[2] ?? 10_000);
const CLIENTS = 16;
const LAG_MS = 500;
const HEADER = 'lintel-consistency';
const scratch = makeScratch();
const servers = [];
const products = [];

try {
  const primary = await Postgres.create(scratch, 'primary', { wal_level: 'replica' });
  servers.push(primary);
  await primary.sql('CREATE ROLE service LOGIN');
  await primary.sql('CREATE DATABASE lintel OWNER service');
  const standby = await primary.replicate('standby');
  servers.push(standby);
  await standby.sql([`ALTER SYSTEM SET recovery_min_apply_delay = ${LAG_MS}`, 'SELECT pg_reload_conf()']);
  const metricsPort = await freePort();
  const as = (server) => server.url('lintel').replace('lintel@', 'service@');
  const env = {
    DATABASE_URL: as(primary),
    DATABASE_READ_URL: as(standby),
    LOG_LEVEL: 'info',
    APP_URL: 'http://lintel.test',
  };
  products.push(await Product.start(scratch, 'one', { ...env, METRICS_PORT: String(metricsPort) }));
  products.push(await Product.start(scratch, 'two', env));
  const [one, two] = products;
  const token = await administratorOf(one, two);
  const fields = [
    { name: 'title', type: 'string' },
    { name: 'count', type: 'int' },
  ];
  await right(one, 'POST', '/api/schema', { name: 'note', namespace: 'notes', label_field: 'title', fields });
  await until(async () => (await two.ask('GET', '/api/content/notes', undefined, token)).status === 200, 'the schema');
  // This reader has written nothing, so it may get data that is half a second old.
  const reader = await anotherAdministrator();
  await until(
    async () => /The replica is in use/.test(one.stdout) && /The replica is in use/.test(two.stdout),
    'the replica',
  );
  await delay(2 * LAG_MS);

  const readsBy = async (by) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(new RegExp(`^lintel_replica_reads_total\\{by="${by}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  };

  await promise(
    `clients read their own writes, ${WRITES} times: with the header on the other instance, automatically on the same`,
    async () => {
      let stale = 0;
      let written = 0;
      const client = async (number) => {
        while (written < WRITES) {
          const turn = (written += 1);
          const made = await right(one, 'POST', '/api/content/notes', { title: `${number} ${turn}`, count: turn });
          const path = `/api/content/notes/${made.body.data.id}`;
          const headers = { [HEADER]: made.headers.get(HEADER) };
          const seen =
            turn % 2 === 0
              ? await two.ask('GET', path, undefined, token, headers)
              : await one.ask('GET', path, undefined, token);
          if (seen.status !== 200 || seen.body.data.count !== turn) stale += 1;
          if (turn % 5 > 0) continue;
          // The standby has had the record for long, so a missing change would not be noticed.
          const changed = await right(one, 'PATCH', path, { count: -turn });
          const again = await two.ask(
            'GET',
            `/api/content/notes?filter=${encodeURIComponent(JSON.stringify({ id: { $eq: made.body.data.id } }))}`,
            undefined,
            token,
            { [HEADER]: changed.headers.get(HEADER) },
          );
          if (again.body?.data?.items?.[0]?.count !== -turn) stale += 1;
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
      if (stale > 0) throw new Error(`${stale} reads did not return the preceding write`);
    },
  );

  await promise('other clients are answered by the replica, and see the write half a second later', async () => {
    const before = await readsBy('replica');
    const made = await right(one, 'POST', '/api/content/notes', { title: 'seen later', count: 0 });
    const path = `/api/content/notes/${made.body.data.id}`;
    const begin = performance.now();
    const first = await one.ask('GET', path, undefined, reader);
    if (first.status !== 404) throw new Error(`the read did not use the replica: ${first.status}`);
    const fresh = await one.ask('GET', path, undefined, reader, { 'cache-control': 'no-cache' });
    if (fresh.status !== 200) throw new Error(`no-cache returned ${fresh.status}`);
    await until(async () => (await one.ask('GET', path, undefined, reader)).status === 200, 'the record', 5_000);
    console.log(`     it was seen after ${Math.round(performance.now() - begin)} ms`);
    if ((await readsBy('replica')) <= before) throw new Error('no read used the replica');
  });

  await promise('an invalid consistency token is answered by the primary', async () => {
    const made = await right(one, 'POST', '/api/content/notes', { title: 'forged', count: 0 });
    for (const forged of ['x', '', 'unknown', '0/0', 'A'.repeat(60)]) {
      const path = `/api/content/notes/${made.body.data.id}`;
      const { status } = await one.ask('GET', path, undefined, reader, { [HEADER]: forged });
      if (status !== 200) throw new Error(`${JSON.stringify(forged)} returned ${status}`);
    }
  });

  await promise('a schema change is visible immediately, and no read uses a replica without it', async () => {
    for (let round = 0; round < 4; round += 1) {
      fields.push({ name: `field${round}`, type: 'string', optional: true });
      await right(one, 'PUT', '/api/schema/note', {
        name: 'note',
        namespace: 'notes',
        label_field: 'title',
        fields,
      });
      for (let turn = 0; turn < 20; turn += 1) await right(one, 'GET', '/api/content/notes?limit=5', undefined, reader);
      await delay(300);
    }
  });

  await promise('an unavailable standby fails no request, and is used again when it is back', async () => {
    await until(async () => {
      const before = await readsBy('replica');
      await right(one, 'GET', '/api/content/notes?limit=1', undefined, reader);
      return (await readsBy('replica')) > before;
    }, 'the replica to be asked');
    standby.stop('immediate');
    for (let turn = 0; turn < 50; turn += 1) await right(one, 'GET', '/api/content/notes?limit=5', undefined, reader);
    standby.start();
    await until(async () => {
      const before = await readsBy('replica');
      await right(one, 'GET', '/api/content/notes?limit=1', undefined, reader);
      return (await readsBy('replica')) > before;
    }, 'the replica to be asked again');
  });

  await promise('both stop cleanly, and have logged no error', async () => {
    for (const product of products) {
      const code = await product.stop();
      const logged = product.stdout.split('\n').filter((line) => /"level":(50|60)/.test(line));
      if (code !== 0 || product.stderr !== '' || logged.length > 0)
        throw new Error(`the process exited with ${code}: ${product.stderr}${logged[0] ?? ''}`);
    }
  });

  async function right(product, method, path, body, bearer = token) {
    const answer = await product.ask(method, path, body, bearer);
    if (answer.status === 0 || answer.status >= 300)
      throw new Error(`${method} ${path} returned ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  async function anotherAdministrator() {
    const person = { email: 'reader@example.com', password: 'sturdy walnut 47' };
    await right(one, 'POST', '/api/auth/local/register', { ...person, password_confirmation: person.password });
    const { body } = await right(
      one,
      'GET',
      `/api/content/users?filter=${encodeURIComponent(JSON.stringify({ email: { $eq: person.email } }))}`,
    );
    const roles = await right(
      one,
      'GET',
      `/api/content/roles?filter=${encodeURIComponent(JSON.stringify({ name: { $eq: 'admin' } }))}`,
    );
    await right(one, 'PATCH', `/api/content/users/${body.data.items[0].id}`, { roles: [roles.body.data.items[0].id] });
    return (await right(one, 'POST', '/api/auth/local/login', { login: person.email, password: person.password })).body
      .token;
  }
} catch (error) {
  await promise('no step throws', () => Promise.reject(error));
} finally {
  await Promise.all(products.map((one) => one.stop()));
  for (const server of servers) server.stop();
  removeScratch(scratch);
}
finish('replica');
