import { finished, pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedRequest, RecordResource } from '../../../identity/auth/access/access.decorators.js';
import { GUEST } from '../../../kernel/principal.types.js';
import { acceptsGzip } from '../../../platform/http/http.public.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { ContentExport } from './content-export.service.js';

/** Timeout after which a client that reads nothing is disconnected. */
const STALLED_MS = 60_000;

/** Exports all records of a list. */
@Controller('api/content')
export class ContentExportController {
  constructor(private readonly exports: ContentExport) {}

  @Get(':schema/export')
  @RecordResource('content')
  async export(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const { schema = '' } = request.params as Partial<Record<string, string>>;
    const { type, fileName, parts, end } = await this.exports.start(
      request.user ?? GUEST,
      schema,
      request.query as RawQuery,
    );
    const text = Readable.from(
      watched(parts, STALLED_MS, () => reply.raw.destroy()),
      { objectMode: false, highWaterMark: 1 },
    );
    // Also runs if the client disconnected before the response started.
    finished(reply.raw, () => {
      text.destroy();
      void end();
    });
    const isPacked = acceptsGzip(request);
    const body = isPacked ? pipeline(text, createGzip(), () => undefined) : text;
    void reply.headers({
      'content-type': type,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
      vary: 'Accept-Encoding',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    });
    await reply.send(body);
  }
}

/** Yields the parts. Calls `giveUp` if the reader takes no part for `stalledMs` milliseconds. */
export async function* watched(
  parts: AsyncIterable<string>,
  stalledMs: number,
  giveUp: () => void,
): AsyncGenerator<string> {
  for await (const part of parts) {
    const timer = setTimeout(giveUp, stalledMs);
    try {
      yield part;
    } finally {
      clearTimeout(timer);
    }
  }
}
