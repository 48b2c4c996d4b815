import { Body, Controller, Get, Header, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { ANSWER, ARCHIVE, DEFINITION, SUBMISSION, VERSION_TAG, inData } from './api/schema-documentation.js';
import type { FastifyReply } from 'fastify';
import { Public, Resource } from '../../identity/auth/access/access.decorators.js';
import { ChangesNothing } from '../../identity/auth/view-as/view-as.decorator.js';
import { schemaArchive } from './api/zip-archive.js';
import { entityTag, type SchemaQuery, Parameters } from './api/schema-query.js';
import { definitionJsonSchema } from './definition/definition-json-schema.js';
import { VersionSummary } from './apply/schema-store.js';
import { PlanAnswer, SchemaReadingService } from './schema-reading.service.js';
import type { SchemaSnapshot } from './snapshot/schema-snapshot.types.js';

const EXPORT = inData({
  type: 'object',
  required: ['schemas'],
  properties: { schemas: { type: 'array', items: DEFINITION } },
});
const DEFINITION_JSON_SCHEMA = definitionJsonSchema();

/** Read access to schemas, and checks of changes. */
@ApiTags('Schemas')
@Controller('api/schema')
export class SchemaReadController {
  constructor(private readonly schemas: SchemaReadingService) {}

  @Get()
  @Resource('schema.list')
  @ApiOperation({ summary: 'List the schemas' })
  @ApiOkResponse({ headers: VERSION_TAG, schema: inData({ type: 'array', items: DEFINITION }) })
  list(@Parameters() _parameters: SchemaQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    return { data: this.schemas.list(this.tagged(reply)) };
  }

  @Get('definition.json')
  @Public()
  @Header('cache-control', 'public, max-age=3600')
  @ApiOperation({ summary: 'Get the JSON Schema of the definition format' })
  @ApiOkResponse({ schema: { type: 'object' } })
  definition() {
    return DEFINITION_JSON_SCHEMA;
  }

  @Get('export')
  @Resource('schema.export')
  @ApiOperation({ summary: 'Export the schemas' })
  @ApiOkResponse({
    headers: VERSION_TAG,
    content: { 'application/json': { schema: EXPORT }, 'application/zip': { schema: ARCHIVE } },
  })
  export(@Parameters('format') { format }: SchemaQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    const data = this.schemas.export(this.tagged(reply));
    return format === 'zip' ? schemaArchive(data.schemas) : { data };
  }

  @Get('history')
  @Resource('schema.history')
  @ApiOperation({ summary: 'List the schema versions, newest first' })
  @AnswersData([VersionSummary])
  async history(@Parameters('limit', 'before') { limit, before }: SchemaQuery) {
    return { data: await this.schemas.history(limit, before) };
  }

  @Get(':name')
  @Resource('schema.get')
  @ApiOperation({ summary: 'Get a schema' })
  @ApiOkResponse({ headers: VERSION_TAG, schema: inData(DEFINITION) })
  @Throws('schema_not_found')
  get(
    @Param('name') name: string,
    @Parameters() _parameters: SchemaQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return { data: this.schemas.get(name, this.tagged(reply)) };
  }

  @Post('validate')
  @HttpCode(200)
  @Resource('schema.validate')
  @ChangesNothing()
  @ApiOperation({ summary: 'Validate schema definitions' })
  @ApiBody({ schema: SUBMISSION })
  @AnswersData(ANSWER)
  @Throws('schema_invalid')
  async validate(@Body() body: unknown, @Parameters('back_refs') { backRefs }: SchemaQuery) {
    return { data: await this.schemas.validate(body, backRefs) };
  }

  @Post('plan')
  @HttpCode(200)
  @Resource('schema.plan')
  @ChangesNothing()
  @ApiOperation({ summary: 'Plan a schema change' })
  @ApiBody({ schema: SUBMISSION })
  @AnswersData(PlanAnswer)
  @Throws('schema_invalid', 'schema_not_found')
  async plan(
    @Body() body: unknown,
    @Parameters('back_refs', 'allow_rebuild', 'remove') { backRefs, remove, allowRebuild }: SchemaQuery,
  ) {
    const isEmpty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
    const put = remove.length > 0 && isEmpty ? [] : [{ json: body }];
    return { data: await this.schemas.plan({ put, remove, backRefs }, allowRebuild) };
  }

  /** Returns the current schemas, whose version is the entity tag of the response. */
  private tagged(reply: FastifyReply): SchemaSnapshot {
    const { current } = this.schemas;
    void reply.header('etag', entityTag(current.version));
    return current;
  }
}
