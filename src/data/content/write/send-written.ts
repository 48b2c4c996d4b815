import type { FastifyReply } from 'fastify';
import type { WriteAnswer } from '../answer/write-answer.js';

/** The type of every answer with a body. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends the answer to a write. */
export async function sendWritten(reply: FastifyReply, { status, headers, body }: WriteAnswer): Promise<void> {
  void reply.code(status).headers(headers);
  if (body === '') await reply.send();
  else await reply.header('content-type', JSON_TYPE).send(body);
}
