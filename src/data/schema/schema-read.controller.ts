import { Body, Controller, Get, Header, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { ANSWER, ARCHIVE, DEFINITION, SUBMISSION, VERSION_TAG, inData } from './api/schema-documentation.js';
import type { FastifyReply } from 'fastify';
import { Public, Resource } from '../../identity/auth/access/access.decorators.js';
import { ChangesNothing } from '../../identity/auth/view-as/view-as.decorator.js';
import { isEmptyObject, schemaArchive } from './api/schema-answers.js';
import { entityTag, type SchemaQuery, Parameters } from './api/schema-query.js';
import { definitionJsonSchema } from './definition/definition-json-schema.js';
import { VersionSummary } from './apply/schema-store.js';
import { PlanAnswer, SchemaReadingService } from './schema-reading.service.js';

const EXPORT = inData({
  type: 'object',
  required: ['schemas'],
  properties: { schemas: { type: 'array', items: DEFINITION } },
});
const DEFINITION_JSON_SCHEMA = definitionJsonSchema();

/** Read access to schemas, and checks of changes (CONTRACT §6). */
@ApiTags('Schemas')
@Controller('api/schema')
export class SchemaReadController {
  constructor(private readonly schemas: SchemaReadingService) {}

  @Get()
  @Resource('schema.list')
  @ApiOperation({ summary: 'All schemas' })
  @ApiOkResponse({ headers: VERSION_TAG, schema: inData({ type: 'array', items: DEFINITION }) })
  list(@Parameters() _parameters: SchemaQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    const snapshot = this.schemas.current;
    void reply.header('etag', entityTag(snapshot.version));
    return { data: this.schemas.list(snapshot) };
  }

  @Get('definition.json')
  @Public()
  @Header('cache-control', 'public, max-age=3600')
  @ApiOperation({ summary: 'JSON Schema of the definition format' })
  @ApiOkResponse({ schema: { type: 'object' } })
  definition() {
    return DEFINITION_JSON_SCHEMA;
  }

  @Get('export')
  @Resource('schema.export')
  @ApiOperation({ summary: 'Everything that an import takes' })
  @ApiOkResponse({
    headers: VERSION_TAG,
    content: { 'application/json': { schema: EXPORT }, 'application/zip': { schema: ARCHIVE } },
  })
  export(@Parameters('format') { format }: SchemaQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    const snapshot = this.schemas.current;
    void reply.header('etag', entityTag(snapshot.version));
    return format === 'zip'
      ? schemaArchive(this.schemas.export(snapshot).schemas)
      : { data: this.schemas.export(snapshot) };
  }

  @Get('history')
  @Resource('schema.history')
  @ApiOperation({ summary: 'Versions of the schemas, newest first' })
  @AnswersData([VersionSummary])
  async history(@Parameters('limit', 'before') { limit, before }: SchemaQuery) {
    return { data: await this.schemas.history(limit, before) };
  }

  @Get(':name')
  @Resource('schema.get')
  @ApiOperation({ summary: 'One schema' })
  @ApiOkResponse({ headers: VERSION_TAG, schema: inData(DEFINITION) })
  @Throws('schema_not_found')
  get(
    @Param('name') name: string,
    @Parameters() _parameters: SchemaQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const snapshot = this.schemas.current;
    void reply.header('etag', entityTag(snapshot.version));
    return { data: this.schemas.get(name, snapshot) };
  }

  @Post('validate')
  @HttpCode(200)
  @Resource('schema.validate')
  @ChangesNothing()
  @ApiOperation({ summary: 'Check definitions, and change nothing' })
  @ApiBody({ schema: SUBMISSION })
  @AnswersData(ANSWER)
  @Throws('schema_invalid')
  validate(@Body() body: unknown, @Parameters('back_refs') { backRefs }: SchemaQuery) {
    return { data: this.schemas.validate(body, backRefs) };
  }

  @Post('plan')
  @HttpCode(200)
  @Resource('schema.plan')
  @ChangesNothing()
  @ApiOperation({ summary: 'The steps of a change, and what they would lose' })
  @ApiBody({ schema: SUBMISSION })
  @AnswersData(PlanAnswer)
  @Throws('schema_invalid', 'schema_not_found')
  async plan(
    @Body() body: unknown,
    @Parameters('back_refs', 'allow_rebuild', 'remove') { backRefs, remove, allowRebuild }: SchemaQuery,
  ) {
    const put = remove.length > 0 && isEmptyObject(body) ? [] : [{ json: body }];
    return { data: await this.schemas.plan({ put, remove, backRefs }, allowRebuild) };
  }
}
