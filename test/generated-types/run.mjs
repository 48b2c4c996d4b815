/**
 * Compiles the types that generators create from `/api/openapi.json`, for a guest, an account and an administrator of the blog
 * example, and those of `schema:types`, with strict `tsc`: the types, the libraries, and programs that use them. Needs a built
 * service (`npm run build`). The last line is "generated types: N passed, N failed".
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from '../../scripts/results.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const ADMIN = { email: 'root@example.com', password: 'pebble orchard 12' };
const PERSON = { email: 'ann@example.com', password: 'sturdy walnut 47' };
const STRICT = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'].concat(
  '--target es2022 --lib es2023,dom,dom.iterable --module esnext --moduleResolution bundler'.split(' '),
);

/** Hand-written programs that use the types. */
const PROGRAMS = ['client', 'records'];

const scratch = mkdtempSync(join(tmpdir(), 'lintel-types-'));
const dataDir = join(scratch, 'data');
const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT_ENABLED: 'false' };
let service;
let passed = 0;
let failed = 0;

try {
  prepare();
  const url = await start();
  const documents = { guest: await document(url), user: await document(url, await newcomer(url)) };
  const admin = await signIn(url, ADMIN);
  documents.admin = await document(url, admin);
  for (const [name, text] of Object.entries(documents)) {
    writeFileSync(join(scratch, `${name}.json`), text);
    promise(`openapi-typescript accepts the document of the ${name}`, () => {
      node('openapi-typescript/bin/cli.js', [`${name}.json`, '--output', `plain-${name}.ts`]);
      // Members with a default are optional (docs/guides/data/reading-records.md). client.ts omits some.
      node('openapi-typescript/bin/cli.js', [`${name}.json`, '--output', `${name}.ts`, '--default-non-nullable=false']);
    });
    promise(`@hey-api/openapi-ts accepts the document of the ${name}`, () =>
      node('@hey-api/openapi-ts/bin/run.js', ['--input', `${name}.json`, '--output', `hey-${name}`, '--silent']),
    );
  }
  promise('schema:types over HTTP', () =>
    run([join(ROOT, 'dist/program/cli.js'), 'schema:types', '--url', url, '--token', admin, '--out', 'schema.ts']),
  );
  for (const name of PROGRAMS) cpSync(join(HERE, `${name}.ts`), join(scratch, `${name}.ts`));
  const complaints = typed(Object.keys(documents));
  for (const name of Object.keys(documents)) {
    promise(`strict tsc accepts the types of the ${name}`, () => complaints.none(`plain-${name}.ts`, `${name}.ts`));
    promise(`strict tsc accepts the output of @hey-api/openapi-ts for the ${name}`, () =>
      complaints.none(`hey-${name}/`),
    );
  }
  for (const name of PROGRAMS)
    promise(`strict tsc accepts ${name}.ts, and finds every expected error`, () => complaints.none(`${name}.ts`));
} catch (error) {
  failed += 1;
  console.log(`FAIL ${error.stack}`);
} finally {
  service?.kill('SIGTERM');
  await new Promise((done) => (service === undefined ? done() : service.once('close', done)));
  rmSync(scratch, { recursive: true, force: true });
}
report('generated types', passed, failed);
process.exit(failed === 0 ? 0 : 1);

/** Returns the blog, its roles, an administrator, and the packages in the directory of a front end. */
function prepare() {
  mkdirSync(dataDir);
  symlinkSync(join(HERE, 'node_modules'), join(scratch, 'node_modules'));
  writeFileSync(join(scratch, 'package.json'), '{"type":"module"}');
  const blog = join(ROOT, 'examples/blog');
  for (const args of [
    ['schema:apply', join(blog, 'schemas')],
    ['roles:seed', '--file', join(blog, 'roles.json')],
    ['admin:create', '--email', ADMIN.email, '--password', ADMIN.password],
  ])
    run([join(ROOT, 'dist/program/cli.js'), ...args]);
}

function start() {
  service = spawn(process.execPath, [join(ROOT, 'dist/program/main.js')], { env, cwd: scratch });
  return new Promise((resolve, reject) => {
    let output = '';
    service.stdout.on('data', (text) => {
      output += text;
      const url = / is ready at (\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    service.stderr.on('data', (text) => (output += text));
    service.once('close', () => reject(new Error(`The service ended:\n${output}`)));
  });
}

async function document(url, token) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/openapi.json`, { headers });
  if (response.status !== 200) throw new Error(`The document is answered with ${response.status}.`);
  return response.text();
}

async function newcomer(url) {
  await post(`${url}/api/auth/local/register`, { ...PERSON, password_confirmation: PERSON.password });
  return signIn(url, PERSON);
}

async function signIn(url, { email, password }) {
  return (await post(`${url}/api/auth/local/login`, { login: email, password })).token;
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${url} answers ${JSON.stringify(answer)}`);
  return answer;
}

/** Type-checks all files in one program, because the libraries take most of the time. Returns a function that reports the errors of a file. */
function typed(names) {
  const files = names.flatMap((name) => [`plain-${name}.ts`, `${name}.ts`, `hey-${name}/types.gen.ts`]);
  const programs = PROGRAMS.map((name) => `${name}.ts`);
  const args = [join(HERE, 'node_modules/typescript/bin/tsc'), '--pretty', 'false', ...STRICT, ...files, ...programs];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: scratch, encoding: 'utf8' });
  const lines = (stdout + stderr).split(/\n(?=\S)/).filter(Boolean);
  const known = [...names.map((name) => `hey-${name}/`), ...files, ...programs];
  const isOf = (line, places) => places.some((place) => line.startsWith(place));
  return {
    /** Throws if one of these files has errors, or an unknown file such as a library or an option. */
    none(...places) {
      const against = lines.filter((line) => isOf(line, places) || !isOf(line, known));
      if (against.length > 0 || (status !== 0 && lines.length === 0)) throw new Error(`tsc: ${against.join('\n')}`);
    },
  };
}

/** Runs a program of a package to its end. */
function node(program, args) {
  run([join(HERE, 'node_modules', program), ...args]);
}

function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: scratch, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.slice(0, 2).join(' ')} ends with ${status}:\n${stdout}${stderr}`);
}

function promise(name, check) {
  try {
    check();
    passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}\n${String(error.message).slice(0, 4_000)}`);
  }
}
