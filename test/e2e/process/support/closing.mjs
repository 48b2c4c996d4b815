/**
 * Starts and closes the built application as often as the argument says, and prints the leftovers of each run as JSON. Requires
 * `--expose-gc`. The environment selects the database.
 */
import { createHook } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import passport from 'passport';
import { DataSource } from 'typeorm';
import { assembleApp } from '../../../../dist/src/application/assemble-app.js';
import { loadConfig, readEnvironment } from '../../../../dist/src/platform/config/load-config.js';
import { openDatabase } from '../../../../dist/src/platform/database/connections/database-connection.js';
import { Migrator } from '../../../../dist/src/platform/database/migrations/migrator.js';
import { createLogger } from '../../../../dist/src/platform/http/server/logger.js';
import { RoleSeeder } from '../../../../dist/src/identity/users/roles/role-seeder.js';
import { applicationTables, applicationVariables } from '../../../../dist/src/app.module.js';

/**
 * Resources that keep the process alive or call back later: timers (also unreferenced ones), sockets, servers, child processes, workers.
 */
const LIVING = /^(Timeout|FSEVENTWRAP|PROCESSWRAP|WORKER|(TCP|PIPE|UDP|TLS|TTY)\w*WRAP)$/;
const LOOKS = 100;
const PERSON = { email: 'ann@example.com', password: 'sturdy walnut 47' };

const living = new Map();
createHook({
  init: (id, type) => {
    if (LIVING.test(type)) living.set(id, `${type} of ${maker(new Error().stack)}`);
  },
  destroy: (id) => living.delete(id),
}).enable();

const reports = [];
for (let round = 0; round < Number(process.argv[2]); round += 1) reports.push(await leftBy(run));
console.log(JSON.stringify(reports));

/** Runs an application, sends a few requests of each kind, and closes it. */
async function run() {
  const config = loadConfig(readEnvironment(), applicationVariables());
  const connection = await openDatabase(config);
  await new Migrator(connection.address, applicationTables().migrations).up();
  const app = await assembleApp({
    config,
    connection,
    logger: createLogger(config.logLevel, { write: () => undefined }),
  });
  await app.init();
  await app.get(RoleSeeder).seedMissingBuiltIns();
  await app.listen(0, '127.0.0.1');
  await use(await app.getUrl());
  const parts = { application: app, server: app.getHttpServer(), 'data source': app.get(DataSource) };
  await app.close();
  await connection.release();
  return Object.entries(parts).map(([name, part]) => [name, new WeakRef(part)]);
}

/** Returns the first frames of a stack outside of Node. */
function maker(stack) {
  const frames = stack.split('\n').slice(2);
  return frames
    .filter((frame) => !/\(?node:/.test(frame))
    .slice(0, 2)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

async function use(url) {
  const post = async (path, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    return (await fetch(`${url}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  await post('auth/local/register', { ...PERSON, password_confirmation: PERSON.password });
  await post('auth/local/recover', { email: PERSON.email });
  const { token } = await post('auth/local/login', { login: PERSON.email, password: PERSON.password });
  for (const path of ['auth/me', 'content/users', 'openapi.json', 'docs', 'auth/social/example/begin', 'nowhere']) {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    await (await fetch(`${url}/api/${path}`, { headers, redirect: 'manual' })).arrayBuffer();
  }
}

/**
 * Runs the work, and returns what remains: strategies, process listeners, timers, handles and objects. Resources that are closing get time,
 * and unused objects are collected.
 */
async function leftBy(work) {
  const before = census();
  const parts = await work();
  for (let looks = 1; ; looks += 1) {
    await delay(50);
    globalThis.gc();
    await new Promise(setImmediate);
    const left = {
      ...Object.fromEntries(Object.entries(census()).map(([kind, names]) => [kind, newOnes(before[kind], names)])),
      objects: parts.filter(([, reference]) => reference.deref() !== undefined).map(([name]) => name),
    };
    if (looks === LOOKS || Object.values(left).every((names) => names.length === 0)) return left;
  }
}

function census() {
  return {
    strategies: Object.keys(passport._strategies),
    listeners: process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`),
    handles: [...living.values()],
  };
}

function newOnes(before, after) {
  const left = [...before];
  return after.filter((name) => {
    const at = left.indexOf(name);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
