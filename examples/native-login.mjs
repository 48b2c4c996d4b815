#!/usr/bin/env node
/**
 * A native app that signs a user in (RFC 8252): loopback listener, browser, one-time code, PKCE. It needs only Node. Copy it. docs/guides/sign-in/native-apps.md explains each step.
 *
 *   node examples/native-login.mjs [--server http://localhost:8000] [--no-open]
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const WAIT_MS = 600_000;

const { values: options } = parseArgs({
  options: {
    server: { type: 'string', default: 'http://localhost:8000' },
    'no-open': { type: 'boolean', default: false },
  },
});
const server = options.server.replace(/\/+$/, '');

try {
  await signIn();
} catch (error) {
  console.error(`Not signed in: ${error.message}`);
  process.exitCode = 1;
}

/** Runs the complete flow. */
async function signIn() {
  const verifier = randomBytes(32).toString('base64url');
  const correlation = randomBytes(16).toString('base64url');
  const listener = await listen(correlation);
  try {
    const { authorize_url: path } = await post('/api/auth/cli/initiate', {
      redirect_uri: listener.redirectUri,
      correlation,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    });
    // The path contains that of the server's address, if it has one.
    const address = new URL(path, server).href;
    console.log(`Sign in here:\n  ${address}`);
    if (!options['no-open']) openBrowser(address);

    const answer = await listener.code;
    const tokens = await answer.finish(post('/api/auth/exchange', { code: answer.code, code_verifier: verifier }));
    // A real app stores the tokens in the key store of the system.
    const me = await get('/api/auth/me', tokens.token);
    console.log(`Signed in as ${me.login} <${me.email}>, until ${tokens.expires}.`);
  } finally {
    listener.close();
  }
}

/**
 * Listens on a free port of 127.0.0.1. `code` resolves with the first response that has the right `state`. Other requests are rejected.
 */
async function listen(correlation) {
  let arrived;
  const code = new Promise((resolve, reject) => (arrived = { resolve, reject }));
  const http = createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    if (request.method !== 'GET' || url.pathname !== '/callback') return say(response, 404, 'There is nothing here.');
    const value = url.searchParams.get('code');
    if (url.searchParams.get('state') !== correlation || value === null)
      return say(response, 400, 'This sign-in was not started by this app.');
    arrived.resolve({ code: value, finish: (exchange) => finish(response, exchange) });
  });
  http.listen(0, '127.0.0.1');
  await new Promise((listening, failed) => http.once('listening', listening).once('error', failed));
  const timer = setTimeout(() => arrived.reject(new Error('nobody signed in within ten minutes')), WAIT_MS);
  const close = () => {
    clearTimeout(timer);
    http.close();
  };
  return { redirectUri: `http://127.0.0.1:${http.address().port}/callback`, code, close };
}

/** Shows the result of the exchange in the browser. */
async function finish(response, exchange) {
  try {
    const tokens = await exchange;
    say(response, 200, 'You are signed in. You can close this window.');
    return tokens;
  } catch (error) {
    say(response, 400, 'The sign-in did not succeed. Start it again from the app.');
    throw error;
  }
}

function say(response, status, text) {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`${text}\n`);
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  return read(path, await fetch(`${server}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function get(path, token) {
  return read(path, await fetch(`${server}${path}`, { headers: { authorization: `Bearer ${token}` } }));
}

/** Returns the body of a response. The error of a failed request contains its `data.error`. */
async function read(path, response) {
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${answer.data?.error}: ${answer.message}`);
  return answer;
}

/** Opens the browser of the user without a shell. */
function openBrowser(address) {
  const [command, ...rest] = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }[process.platform] ?? ['xdg-open'];
  const browser = spawn(command, [...rest, address], { stdio: 'ignore', detached: true });
  browser.on('error', () => console.log('(No browser could be opened; open the address yourself.)'));
  browser.unref();
}
