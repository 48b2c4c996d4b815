import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { IdentitiesService, ListedIdentity } from './accounts/identities.service.js';

@ApiTags('Provider')
@Controller('api/identities')
export class AllIdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  @Get(':user_id')
  @Resource('identities.list')
  @ApiOperation({ summary: 'The providers that somebody has linked' })
  @AnswersData([ListedIdentity])
  @Throws('record_not_found')
  async list(@Param('user_id') userId: string): Promise<{ data: ListedIdentity[] }> {
    return { data: await this.identities.listOf(userId) };
  }
}
