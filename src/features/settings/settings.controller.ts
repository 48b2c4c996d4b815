import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { CONFIG, DECLARED_VARIABLES } from '../../platform/config/config.module.js';
import { configurationInForce, type Variables } from '../../platform/config/config.public.js';
import type { Config } from '../../platform/config/config.types.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';

/** A variable as it is in force. */
class SettingInForce {
  @ApiProperty() readonly name: string;
  @ApiProperty({ description: '`set` for a secret that is.' }) readonly value: string;
  @ApiProperty({ enum: ['set', 'default'] }) readonly source: 'set' | 'default';
}

@ApiTags('Service')
@Controller('api/settings')
export class SettingsController {
  private readonly rows: readonly SettingInForce[];

  constructor(@Inject(CONFIG) config: Config, @Inject(DECLARED_VARIABLES) declarations: readonly Variables[]) {
    this.rows = configurationInForce(config, declarations, 'set');
  }

  @Get()
  @Resource('settings.get')
  @ApiOperation({ summary: 'What is in force of the configuration', description: 'Secrets are not shown.' })
  @AnswersData([SettingInForce])
  get(): { data: readonly SettingInForce[] } {
    return { data: this.rows };
  }
}
