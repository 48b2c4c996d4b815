const { spawn } = require('node:child_process');
const { randomInt } = require('node:crypto');
const { existsSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { delimiter, join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');

const START_MS = 20_000;

function nginxProgram() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const found = folders.map((folder) => join(folder, 'nginx')).find((program) => existsSync(program));
  if (found === undefined) throw new Error('nginx is not installed: apt-get install nginx');
  return found;
}

/** Returns a free port below those that the system assigns to `listen(0)`, so that no other server of the tests gets it meanwhile. */
async function freePort() {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Starts an nginx with these `server` blocks, whose ports the caller has chosen. Resolves once the first port accepts connections. */
async function startNginx(servers, firstPort) {
  const home = mkdtempSync(join(tmpdir(), 'lintel-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const config = `${user} daemon off; worker_processes 1; pid ${home}/pid; error_log stderr warn;
    events { worker_connections 256; }
    http { access_log off; ${temporary.join(' ')} client_max_body_size 50m; keepalive_timeout 65s; ${servers.join('\n')} }`;
  writeFileSync(join(home, 'nginx.conf'), config);
  const child = spawn(nginxProgram(), ['-p', home, '-c', join(home, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  let ended = false;
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  const exit = new Promise((resolve) => child.once('close', () => resolve((ended = true))));
  const deadline = performance.now() + START_MS;
  while (!(await accepts(firstPort))) {
    if (ended || performance.now() > deadline) throw new Error(`nginx did not start:\n${output}`);
    await delay(20);
  }
  return {
    close: async () => {
      child.kill('SIGTERM');
      await exit;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.destroy() !== undefined)).once('error', () => resolve(false));
  });
}

/**
 * Returns a `server` block that serves an upstream below a path.
 *
 * @param {{ port: number, upstream: number, path: string, strip: boolean, more?: string }} options `strip`: whether the proxy removes the path.
 */
function servedBelow({ port, upstream, path, strip, more = '' }) {
  return `server {
    listen 127.0.0.1:${port};
    location ${path}/ {
      proxy_pass http://127.0.0.1:${upstream}${strip ? '/' : ''};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_request_buffering off;
      ${more}
    }
    ${path === '' ? '' : `location = ${path} { proxy_pass http://127.0.0.1:${upstream}${strip ? '/' : ''}; proxy_set_header Host $http_host; }`}
  }`;
}

module.exports = { freePort, servedBelow, startNginx };
