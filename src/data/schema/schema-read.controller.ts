import { Body, Controller, Get, Header, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public, Resource } from '../../identity/auth/access/access.decorators.js';
import { isEmptyObject, schemaArchive } from './api/schema-answers.js';
import { entityTag, type SchemaQuery, Parameters } from './api/schema-query.js';
import { definitionJsonSchema } from './definition/definition-json-schema.js';
import { SchemaReadingService } from './schema-reading.service.js';

const DEFINITION_JSON_SCHEMA = definitionJsonSchema();

/** Schemas as they are, and changes before they are made (CONTRACT §6). */
@Controller('api/schema')
export class SchemaReadController {
  constructor(private readonly schemas: SchemaReadingService) {}

  @Get()
  @Resource('schema.list')
  list(@Parameters() _parameters: SchemaQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    const snapshot = this.schemas.current;
    void reply.header('etag', entityTag(snapshot.version));
    return { data: this.schemas.list(snapshot) };
  }

  @Get('definition.json')
  @Public()
  @Header('cache-control', 'public, max-age=3600')
  definition() {
    return DEFINITION_JSON_SCHEMA;
  }

  @Get('export')
  @Resource('schema.export')
  export(@Parameters(['format']) { format }: SchemaQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    const snapshot = this.schemas.current;
    void reply.header('etag', entityTag(snapshot.version));
    return format === 'zip'
      ? schemaArchive(this.schemas.export(snapshot).schemas)
      : { data: this.schemas.export(snapshot) };
  }

  @Get('history')
  @Resource('schema.history')
  async history(@Parameters(['limit', 'before']) { limit, before }: SchemaQuery) {
    return { data: await this.schemas.history(limit, before) };
  }

  @Get(':name')
  @Resource('schema.get')
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
  validate(@Body() body: unknown, @Parameters(['back_refs']) { backRefs }: SchemaQuery) {
    return { data: this.schemas.validate(body, backRefs) };
  }

  @Post('plan')
  @HttpCode(200)
  @Resource('schema.plan')
  async plan(
    @Body() body: unknown,
    @Parameters(['back_refs', 'remove', 'allow_rebuild']) { backRefs, remove, allowRebuild }: SchemaQuery,
  ) {
    const put = remove.length > 0 && isEmptyObject(body) ? [] : [{ json: body }];
    return { data: await this.schemas.plan({ put, remove, backRefs }, allowRebuild) };
  }
}
