import { Controller, Get, Req } from '@nestjs/common';
import { type AuthenticatedRequest, Resource } from '../../identity/auth/access/access.decorators.js';
import { GUEST } from '../../identity/auth/access/principal.types.js';
import { type OwnPermissions, OwnPermissionsService } from './own-permissions.service.js';

/** What whoever asks may do: for front ends, which show only what will not be refused (CONTRACT §5). */
@Controller('api/auth/permissions')
export class PermissionsController {
  constructor(private readonly permissions: OwnPermissionsService) {}

  @Get()
  @Resource('auth.permissions')
  async get(@Req() request: AuthenticatedRequest): Promise<{ data: OwnPermissions }> {
    return { data: await this.permissions.of(request.user ?? GUEST) };
  }
}
