import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { DECLARED_VARIABLES } from '../../platform/config/config.module.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { configurationInForce, type Variables } from '../../platform/config/config.public.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';

/** A configuration variable and its effective value. */
class SettingInForce {
  @ApiProperty() readonly name: string;
  @ApiProperty({ description: 'Value in effect; `set` for a configured secret.' }) readonly value: string;
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
  @ApiOperation({ summary: 'Get the configuration in effect', description: 'Secret values are not returned.' })
  @AnswersData([SettingInForce])
  get(): { data: readonly SettingInForce[] } {
    return { data: this.rows };
  }
}
