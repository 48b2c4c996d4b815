import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { S3Settings } from '../../src/features/files/storage/s3/s3-client.js';

/** Path of an S3 server that verifies signatures, as printed by `.ci/versitygw`. Its tests are skipped otherwise. */
export const VERSITYGW = process.env['VERSITYGW_PATH'] ?? '';

/** Handles a request instead of the store. Returns false to let the request through. */
export type Obstacle = (request: IncomingMessage, response: ServerResponse) => boolean;

const ACCESS = { accessKeyId: 'lintel', secretAccessKey: 'sesame-sesame-sesame' };

/** An S3 server process with one bucket, behind a proxy that can fail requests. */
export class S3Store {
  obstacle: Obstacle = () => false;
  /** Returns whether the store performs the request, but the client gets no response. */
  loses: (request: IncomingMessage) => boolean = () => false;
  readonly seen: string[] = [];
  /** Maximum number of concurrent requests with a body. */
  mostAtOnce = 0;
  private open = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
    private readonly door: Server,
    private readonly folder: string,
  ) {
    door.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => this.pass(incoming, outgoing));
  }

  static async start(): Promise<S3Store> {
    const folder = mkdtempSync(join(tmpdir(), 'lintel-s3-'));
    for (const name of ['data', 'sidecar']) mkdirSync(join(folder, name));
    mkdirSync(join(folder, 'data', 'files'));
    const port = await freePort();
    const env = { ROOT_ACCESS_KEY_ID: ACCESS.accessKeyId, ROOT_SECRET_ACCESS_KEY: ACCESS.secretAccessKey };
    const args = ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', join(folder, 'sidecar')];
    const child = spawn(VERSITYGW, [...args, join(folder, 'data')], { env, stdio: 'ignore' });
    const door = createServer();
    await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
    const store = new S3Store(child, port, door, folder);
    while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => null))) await delay(50);
    return store;
  }

  get settings(): S3Settings {
    const { port } = this.door.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    return {
      ...ACCESS,
      endpoint,
      publicEndpoint: endpoint,
      region: 'us-east-1',
      bucket: 'files',
      forcePathStyle: true,
    };
  }

  async stop(): Promise<void> {
    this.door.closeAllConnections();
    this.door.close();
    const gone = new Promise((ended) => this.child.once('exit', ended));
    this.child.kill('SIGKILL');
    await gone;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = '', url = '', headers } = incoming;
    this.seen.push(`${method} ${url.replace(/^[^?]*/, '')}`);
    if (this.obstacle(incoming, outgoing)) return;
    this.open += method === 'PUT' ? 1 : 0;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.open);
    const passed = request({ host: '127.0.0.1', port: this.port, method, path: url, headers }, (answer) => {
      this.open -= method === 'PUT' ? 1 : 0;
      if (this.loses(incoming)) {
        answer.resume().once('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  }
}

async function freePort(): Promise<number> {
  const server = createSocket();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
