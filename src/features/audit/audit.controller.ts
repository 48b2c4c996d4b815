import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, Resource } from '../../identity/auth/access/access.decorators.js';
import { Origin } from '../../identity/auth/auth.public.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';
import { Field } from '../../platform/http/input/field.decorator.js';
import { allOf, type FieldCheck, optionalText } from '../../platform/http/http.public.js';
import { defineLimit } from '../../kernel/limits.js';
import { AuditReading, EventPage, isCursor, ListedAction } from './audit-reading.service.js';

const MOST = defineLimit(200, 'Audit log', 'events on one page', 'validation_failed');
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Optional text. An empty one is rejected, because it would match nothing. */
const optionalName: FieldCheck = allOf(optionalText(300), (value) =>
  value === '' ? { code: 'required', message: 'is empty' } : null,
);

/** Optional text that must satisfy `holds`. */
function optional(most: number, message: string, holds: (text: string) => boolean): FieldCheck {
  return allOf(optionalText(most), (value) =>
    typeof value !== 'string' || holds(value) ? null : { code: 'value_invalid', message },
  );
}

const optionalTime = optional(
  40,
  'must be a time, such as 2026-01-31T12:00:00Z',
  (text) => TIME.test(text) && !Number.isNaN(Date.parse(text)),
);

const optionalCursor = optional(100, 'is not a cursor of this list', isCursor);

const optionalLimit = optional(
  3,
  `must be a whole number from 1 to ${MOST}`,
  (text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MOST,
);

/** Query of the log. */
class AuditQuery {
  @Field(optionalName) actor?: string;
  @Field(optionalName) action?: string;
  @Field(optionalName) resource?: string;
  @Field(optionalName) outcome?: string;
  @Field(optionalTime) since?: string;
  @Field(optionalTime) until?: string;
  @Field(optionalCursor) cursor?: string;
  @Field(optionalLimit) limit?: string;
}

@ApiTags('Service')
@Controller('api/audit')
export class AuditController {
  constructor(private readonly reading: AuditReading) {}

  @Get()
  @Resource('audit.list')
  @ApiOperation({
    summary: 'Who did what, and when, from the newest on',
    description:
      '`actor` and `resource` name one (`account:<id>`) or a kind (`account`); `since` is included, `until` is not. What is read here is written down, too.',
  })
  @AnswersData(EventPage)
  async list(
    @Query() query: AuditQuery,
    @CurrentPrincipal() principal: Principal,
    @Origin() origin: RequestOrigin,
  ): Promise<{ data: EventPage }> {
    return { data: await this.reading.list(query, { principal, origin }) };
  }

  @Get('actions')
  @Resource('audit.list')
  @ApiOperation({ summary: 'List the actions that the log can contain' })
  @AnswersData([ListedAction])
  actions(): { data: readonly ListedAction[] } {
    return { data: this.reading.actions() };
  }
}
