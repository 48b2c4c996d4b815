import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../../platform/config/config.types.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { PLUGIN_DATA_DIR, PluginHost } from './plugin-host.service.js';

@Module({})
export class PluginsModule {
  static forRoot({ dataDir }: Pick<Config, 'dataDir'>): DynamicModule {
    return {
      module: PluginsModule,
      imports: [RegistrationPolicyModule],
      providers: [{ provide: PLUGIN_DATA_DIR, useValue: dataDir }, PluginHost],
    };
  }
}
