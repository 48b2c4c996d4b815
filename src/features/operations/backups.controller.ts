import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, Resource } from '../../identity/auth/access/access.decorators.js';
import type { Principal } from '../../kernel/principal.types.js';
import { AnswersData, Message, Throws } from '../../platform/http/output/documentation.decorators.js';
import { BackupOverview, RequestedBackups } from './requested-backups.service.js';

@ApiTags('Service')
@Controller('api/backups')
export class BackupsController {
  constructor(private readonly backups: RequestedBackups) {}

  @Get()
  @Resource('backups.list')
  @ApiOperation({
    summary: 'List the backups of the embedded database and their schedule',
    description: 'Returns the backups in `BACKUP_DIR`, newest first.',
  })
  @AnswersData(BackupOverview)
  async list(): Promise<{ data: BackupOverview }> {
    return { data: await this.backups.overview() };
  }

  @Post()
  @HttpCode(202)
  @Resource('backups.create')
  @ApiOperation({ summary: 'Start a backup in the background' })
  @ApiAcceptedResponse({ type: Message })
  @Throws('backups_elsewhere')
  async create(@CurrentPrincipal() principal: Principal): Promise<Message> {
    await this.backups.request(principal);
    return { message: 'A backup was started.' };
  }
}
