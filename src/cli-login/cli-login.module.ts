import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CliLoginSettings } from '../auth/carrier/cli-login-settings.port.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { CliLoginController } from './cli-login.controller.js';
import { CliLoginService } from './cli-login.service.js';
import { readRedirectHosts } from './redirect-hosts.js';

/** Native-app login. Global, so that every way in knows whether it is on. */
@Module({})
export class CliLoginModule {
  /**
   * @param settings win over the configuration, one by one (specification, "Registration policy rules", 3). Hosts are
   *   whole names or addresses without a port; what is none stops the start.
   */
  static forRoot(settings: Partial<CliLoginSettings> = {}): DynamicModule {
    const allowedRedirectHosts = settings.allowedRedirectHosts && readRedirectHosts(settings.allowedRedirectHosts);
    const resolved = {
      provide: CliLoginSettings,
      inject: [CONFIG],
      useFactory: ({ auth }: Config): CliLoginSettings => ({
        enabled: settings.enabled ?? auth.cliLogin.enabled,
        allowedRedirectHosts: allowedRedirectHosts ?? auth.cliLogin.allowedRedirectHosts,
      }),
    };
    return {
      module: CliLoginModule,
      global: true,
      imports: [AuthModule],
      controllers: [CliLoginController],
      providers: [CliLoginService, resolved],
      exports: [CliLoginSettings],
    };
  }
}
