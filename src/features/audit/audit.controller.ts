import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, Resource } from '../../identity/auth/access/access.decorators.js';
import { Origin } from '../../identity/auth/auth.public.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { AnswersData } from '../../platform/http/documentation.decorators.js';
import { Field } from '../../platform/http/field.decorator.js';
import { allOf, type FieldCheck, optionalText, withConstraints } from '../../platform/http/http.public.js';
import { AuditReading, EventPage, isCursor } from './audit-reading.service.js';

const MOST = 200;
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
const INVALID = { code: 'value_invalid' };

/** A text that may be left out; an empty one finds nothing, and is a mistake. */
const optionalName: FieldCheck = allOf(optionalText(300), (value) =>
  value === '' ? { code: 'required', message: 'is empty' } : null,
);

const optionalTime: FieldCheck = allOf(optionalText(40), (value) =>
  value === undefined || (TIME.test(String(value)) && !Number.isNaN(Date.parse(String(value))))
    ? null
    : { ...INVALID, message: 'must be a time, such as 2026-01-31T12:00:00Z' },
);

const optionalCursor: FieldCheck = allOf(optionalText(100), (value) =>
  value === undefined || isCursor(String(value)) ? null : { ...INVALID, message: 'is not a cursor of this list' },
);

const optionalLimit: FieldCheck = withConstraints({ pattern: '^[0-9]{1,3}$' }, (value) =>
  value === undefined || (/^\d{1,3}$/.test(String(value)) && Number(value) >= 1 && Number(value) <= MOST)
    ? null
    : { ...INVALID, message: `must be a whole number from 1 to ${MOST}` },
);

/** What is asked of the log. */
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

/** The audit log (CONTRACT §13). */
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
}
