import { Body, Controller, Delete, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { AcceptsZip } from '../../platform/http/accepts.decorators.js';
import { Conditions, sendChange } from './api/schema-query.js';
import { type ChangeConditions, SchemaChangesService } from './schema-changes.service.js';

/** Changes of the schemas (CONTRACT §6). */
@Controller('api/schema')
export class SchemaWriteController {
  constructor(private readonly changes: SchemaChangesService) {}

  @Post()
  @Resource('schema.create')
  async create(
    @Body() body: unknown,
    @Conditions(['back_refs', 'allow_data_loss', 'allow_rebuild', 'plan']) conditions: ChangeConditions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendChange(reply, await this.changes.put(body, conditions));
  }

  @Post('import')
  @AcceptsZip()
  @Resource('schema.import')
  async import(
    @Body() body: unknown,
    @Conditions(['back_refs', 'allow_data_loss', 'allow_rebuild', 'plan']) conditions: ChangeConditions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendChange(reply, await this.changes.import(body, conditions));
  }

  @Post('undo')
  @HttpCode(200)
  @Resource('schema.undo')
  async undo(@Conditions([]) conditions: ChangeConditions, @Res({ passthrough: true }) reply: FastifyReply) {
    return sendChange(reply, await this.changes.undo(conditions));
  }

  @Put(':name')
  @Resource('schema.update')
  async replace(
    @Param('name') name: string,
    @Body() body: unknown,
    @Conditions(['back_refs', 'allow_data_loss', 'allow_rebuild', 'plan']) conditions: ChangeConditions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendChange(reply, await this.changes.replace(name, body, conditions));
  }

  @Delete(':name')
  @Resource('schema.delete')
  async remove(
    @Param('name') name: string,
    @Conditions(['allow_data_loss', 'plan']) conditions: ChangeConditions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendChange(reply, await this.changes.remove(name, conditions));
  }
}
