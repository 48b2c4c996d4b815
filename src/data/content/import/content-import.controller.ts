import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { type AuthenticatedRequest, RecordResource } from '../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../identity/auth/auth.public.js';
import { GUEST } from '../../../kernel/principal.types.js';
import { AcceptsStream, ReadsInput } from '../../../platform/http/input/accepts.decorators.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { arrivingBytes } from './rows/import-source.js';
import { ContentImport, type ImportResult } from './content-import.service.js';

/** Imports records from a file. */
@Controller('api/content')
export class ContentImportController {
  constructor(private readonly imports: ContentImport) {}

  @Post(':schema/import')
  @HttpCode(200)
  @RecordResource('content')
  @AcceptsStream({ packed: true })
  @ReadsInput('query')
  async import(@Req() request: AuthenticatedRequest): Promise<{ data: ImportResult }> {
    const { schema = '' } = request.params as Partial<Record<string, string>>;
    const data = await this.imports.receive(
      {
        principal: request.user ?? GUEST,
        origin: originOf(request),
        schema,
        query: request.query as RawQuery,
        mediaType: request.raw.headers['content-type'] ?? '',
      },
      arrivingBytes(request),
    );
    return { data };
  }
}
