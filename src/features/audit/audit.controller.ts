import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, Resource } from '../../identity/auth/access/access.decorators.js';
import { Origin } from '../../identity/auth/auth.public.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';
import { allOf, Field, type FieldCheck, optionalText } from '../../platform/http/input/field.decorator.js';
import { defineLimit } from '../../kernel/limits.js';
import { AuditReading, EventPage, isCursor, ListedAction } from './audit-reading.service.js';

const MAX_PAGE_SIZE = defineLimit(200, 'Audit log', 'events on one page');
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Optional text. An empty one is rejected, because it would match nothing. */
const optionalName: FieldCheck = allOf(optionalText(300), (value) =>
  value === '' ? { code: 'required', message: 'is empty' } : null,
);

function optional(maximum: number, message: string, isValid: (text: string) => boolean): FieldCheck {
  return allOf(optionalText(maximum), (value) =>
    typeof value !== 'string' || isValid(value) ? null : { code: 'value_invalid', message },
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
  `must be a whole number from 1 to ${MAX_PAGE_SIZE}`,
  (text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PAGE_SIZE,
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
    summary: 'List audit log events, newest first',
    description:
      '`actor` and `resource` match one object (`account:<id>`) or a kind (`account`). `since` is inclusive, `until` is exclusive. Each request is itself recorded in the audit log.',
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
  @ApiOperation({ summary: 'List the audit actions' })
  @AnswersData([ListedAction])
  actions(): { data: readonly ListedAction[] } {
    return { data: this.reading.actions() };
  }
}
