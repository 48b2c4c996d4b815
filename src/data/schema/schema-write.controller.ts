import { Body, Controller, Delete, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { ApiSchemaChange, ApiSchemaCreated, DEFINITION, SUBMISSION } from './api/schema-documentation.js';
import type { FastifyReply } from 'fastify';
import { StepUp, type StepUpRule } from '../../identity/auth/step-up/step-up.decorator.js';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { AcceptsZip } from '../../platform/http/input/accepts.decorators.js';
import { Conditions, sendChange } from './api/schema-query.js';
import { type ChangeConditions, SchemaChangesService } from './schema-changes.service.js';

/** Step-up rule for changes that may lose data. Users with a second factor must confirm with it. */
const LOSES_DATA: StepUpRule = {
  ofFactor: true,
  when: ({ query }) => (query as Readonly<Record<string, unknown>>)['allow_data_loss'] !== undefined,
};

/** Schema changes. */
@ApiTags('Schemas')
@Controller('api/schema')
export class SchemaWriteController {
  constructor(private readonly changes: SchemaChangesService) {}

  @Post()
  @Resource('schema.create')
  @StepUp(LOSES_DATA)
  @ApiOperation({ summary: 'Create or change schemas', description: 'Status 201 if a schema was created.' })
  @ApiSchemaChange()
  @ApiSchemaCreated()
  @ApiBody({ schema: SUBMISSION })
  @Throws('schema_invalid')
  async create(
    @Body() body: unknown,
    @Conditions('back_refs', 'allow_data_loss', 'allow_rebuild', 'plan') conditions: ChangeConditions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendChange(reply, await this.changes.put(body, conditions));
  }

  @Post('import')
  @AcceptsZip()
  @Resource('schema.import')
  @StepUp(LOSES_DATA)
  @ApiOperation({ summary: 'Import schemas' })
  @ApiSchemaChange()
  @ApiSchemaCreated()
  @ApiBody({ schema: SUBMISSION })
  @Throws('schema_invalid')
  async import(
    @Body() body: unknown,
    @Conditions('back_refs', 'allow_data_loss', 'allow_rebuild', 'plan') conditions: ChangeConditions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendChange(reply, await this.changes.import(body, conditions));
  }

  @Post('undo')
  @HttpCode(200)
  @Resource('schema.undo')
  @StepUp({ ofFactor: true })
  @ApiOperation({ summary: 'Undo the last schema change' })
  @ApiSchemaChange()
  @Throws('undo_impossible')
  async undo(@Conditions() conditions: ChangeConditions, @Res({ passthrough: true }) reply: FastifyReply) {
    return sendChange(reply, await this.changes.undo(conditions));
  }

  @Put(':name')
  @Resource('schema.update')
  @StepUp(LOSES_DATA)
  @ApiOperation({ summary: 'Replace a schema' })
  @ApiSchemaChange()
  @ApiBody({ schema: DEFINITION })
  @Throws('schema_invalid', 'schema_not_found')
  async replace(
    @Param('name') name: string,
    @Body() body: unknown,
    @Conditions('back_refs', 'allow_data_loss', 'allow_rebuild', 'plan') conditions: ChangeConditions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendChange(reply, await this.changes.replace(name, body, conditions));
  }

  @Delete(':name')
  @Resource('schema.delete')
  @StepUp(LOSES_DATA)
  @ApiOperation({ summary: 'Remove a schema' })
  @ApiSchemaChange()
  @Throws('schema_invalid', 'schema_not_found')
  async remove(
    @Param('name') name: string,
    @Conditions('allow_data_loss', 'plan') conditions: ChangeConditions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendChange(reply, await this.changes.remove(name, conditions));
  }
}
