import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { AnswersData, Message, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { CurrentAccount, Resource } from '../../auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../auth/auth.public.js';
import { ListedDevice, RememberedDevices } from './remembered-devices.service.js';

@ApiTags('Account')
@Controller('api/auth/devices')
export class DevicesController {
  constructor(private readonly devices: RememberedDevices) {}

  @Get()
  @Resource('auth.devices.list')
  @ApiOperation({ summary: 'List your remembered browsers, which need no second factor' })
  @AnswersData([ListedDevice])
  async list(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<{ data: ListedDevice[] }> {
    return { data: await this.devices.list(userId, client) };
  }

  @Delete(':id')
  @Resource('auth.devices.delete')
  @ApiOperation({ summary: 'Remove a remembered browser' })
  @ApiOkResponse({ type: Message })
  @Throws('device_not_found')
  async forget(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Param('id') id: string,
    @Client() client: ClientContext,
  ): Promise<Message> {
    await this.devices.forget(userId, id, client);
    return { message: 'The browser was removed. It requires your second factor again.' };
  }
}
