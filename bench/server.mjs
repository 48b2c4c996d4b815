/**
 * The product with two additional empty routes, `/bench/public` and `/bench/guarded`, and one signed-in account. Input:
 * - `posts`: installs the blog example with that many posts.
 * - `resources`: additional permissions of the account.
 * - `hooks`: schemas with record hooks.
 * Uses the embedded database in a temporary directory, or DATABASE_URL (an empty database).
 */
import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module } from '@nestjs/common';
import { assembleApp } from '../dist/src/application/assemble-app.js';
import { DeclaresResources, Public, Resource } from '../dist/src/identity/auth/access/access.decorators.js';
import { AfterWrite, BeforeWrite } from '../dist/src/identity/records/record-hooks.decorators.js';
import { AuditSeals } from '../dist/src/platform/audit/audit-seals.service.js';
import { openDatabase } from '../dist/src/platform/database/connections/database-connection.js';
import { Migrator } from '../dist/src/platform/database/migrations/migrator.js';
import { createLogger } from '../dist/src/platform/http/server/logger.js';
import { RoleSeeder } from '../dist/src/identity/users/roles/role-seeder.js';
import { captureStatements } from './capture-statements.mjs';
import { readInput, serveUntilAsked } from './child.mjs';
import { prepareBlog } from './prepare-blog.mjs';
import { preparePeople } from './prepare-people.mjs';
import { applicationTables, parseAppConfig } from '../dist/src/app.module.js';

class BenchController {
  answer() {
    return { ok: true };
  }

  guarded() {
    return { ok: true };
  }
}
decorate(BenchController, 'answer', [Get('public'), Public()]);
decorate(BenchController, 'guarded', [Get('guarded'), Resource('bench.guarded')]);
Controller('bench')(BenchController);

const { rateLimits = false, env = {}, people = 0, posts = 0, requests = {}, resources = [], hooks = [] } = readInput();

class BenchHooks {
  before() {}

  after() {}
}
for (const schema of hooks) {
  decorate(BenchHooks, 'before', [BeforeWrite(schema)]);
  decorate(BenchHooks, 'after', [AfterWrite(schema)]);
}

class BenchModule {}
Module({ controllers: [BenchController], providers: [BenchHooks] })(BenchModule);
DeclaresResources('bench.guarded')(BenchModule);

const person = { email: 'bench@example.com', password: 'sturdy walnut 47' };
const dataDir = mkdtempSync(join(tmpdir(), 'lintel-bench-'));
const config = parseAppConfig({
  NODE_ENV: 'production',
  APP_KEY: 'a key for benchmarks that is long enough to be one',
  AUTH: JSON.stringify({ providers: { local: { activation_method: 'auto' } } }),
  MAIL_URL: 'smtp://127.0.0.1:1',
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'warn',
  DATA_DIR: dataDir,
  RATE_LIMIT_ENABLED: String(rateLimits),
  ...env,
  ...(process.env.DATABASE_URL ? { DATABASE_URL: process.env.DATABASE_URL } : {}),
});
const logger = createLogger(config.logLevel);
const connection = await openDatabase(config);
await new Migrator(connection.address, applicationTables().migrations).up();
const app = await assembleApp({ config, connection, logger, definition: { modules: [BenchModule] } });
await app.init();
await app.get(RoleSeeder).seedMissingBuiltIns();
await app.get(RoleSeeder).seed([{ name: 'user', permissions: ['bench.*', ...resources].map(allowed) }]);
await app.listen(0, '127.0.0.1');
const base = await app.getUrl();
const token = await signIn();

// Only own enumerable properties reach the parent.
const address = { url: connection.address.url };
const ready = { base, token, person, address, appKey: config.appKey, issuer: config.appUrl };
const message = { ...ready, ...(await prepareBlogOf(posts)), people: await preparePeople(app, people) };
serveUntilAsked(message, close, { seal: () => app.get(AuditSeals, { strict: false }).seal() });

async function prepareBlogOf(count) {
  if (count === 0) return {};
  const { ids, some } = await prepareBlog(app, connection.address, count);
  const captured = await captureStatements(requests, some, sendAuthorised);
  return { ids, some, captured, poolSize: config.databasePoolSize };
}

async function sendAuthorised({ path, ...request }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(base + path, { ...request, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function signIn() {
  await post('/api/auth/local/register', { ...person, password_confirmation: person.password });
  const { token } = await post('/api/auth/local/login', { login: person.email, password: person.password });
  if (typeof token !== 'string') throw new Error('The benchmark account could not sign in.');
  return token;
}

function allowed(resource) {
  return { resource, value: 'allow', fields: null };
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

async function close() {
  await app.close();
  await connection.release();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

function decorate(type, method, decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, method);
  for (const apply of decorators) apply(type.prototype, method, descriptor);
}
