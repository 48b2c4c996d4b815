import { Controller, Get, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersData } from '../../../platform/http/output/documentation.decorators.js';
import { type AuthenticatedRequest, Resource } from '../../../identity/auth/access/access.decorators.js';
import { GUEST } from '../../../kernel/principal.types.js';
import { OwnPermissions, OwnPermissionsService } from './own-permissions.service.js';

/** Permissions of the caller. Front ends use them to show only permitted actions. */
@ApiTags('Account')
@Controller('api/auth/permissions')
export class PermissionsController {
  constructor(private readonly permissions: OwnPermissionsService) {}

  @Get()
  @Resource('auth.permissions')
  @ApiOperation({
    summary: 'Get your permissions',
    description:
      'Returns the roles, the accessible resources, and for each schema the allowed actions with their fields.',
  })
  @AnswersData(OwnPermissions)
  async get(@Req() request: AuthenticatedRequest): Promise<{ data: OwnPermissions }> {
    return { data: await this.permissions.of(request.user ?? GUEST) };
  }
}
