import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** A stop goes on accepting until nobody came for so long: what the system has queued would be reset otherwise. */
const QUIET_MS = 50;
/** It does not wait longer than this for quiet. */
const MAX_WAIT_MS = 2_000;

/**
 * Lets a stop wait for requests and not for connections: those that carry none are closed, and the others after their
 * answer. Node and Fastify by themselves wait for kept-alive connections, and for those that a browser opened in advance.
 */
export function drainConnections(fastify: FastifyInstance): void {
  const requests = new Map<Socket, number>();
  let accepted = 0;
  let stopping = false;
  const closeIfIdle = (socket: Socket): void => {
    if (requests.get(socket) === 0) socket.destroySoon();
  };
  fastify.server.on('connection', (socket: Socket) => {
    accepted += 1;
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  fastify.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const open = requests.get(socket);
      if (open === undefined) return;
      requests.set(socket, open - 1);
      if (stopping) closeIfIdle(socket);
    });
  });
  fastify.addHook('preClose', async () => {
    if (requests.size > 0) await quiet(() => accepted);
    stopping = true;
    [...requests.keys()].forEach(closeIfIdle);
  });
}

async function quiet(count: () => number): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (let seen = -1; seen !== count() && performance.now() < deadline;) {
    seen = count();
    await delay(QUIET_MS);
  }
}
