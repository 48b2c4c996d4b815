import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { CliLoginSettings } from '../../identity/auth/carrier/cli-login-settings.port.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { collectSettings, mergeSettings } from '../../platform/extension/module-settings.js';
import { AuthorizeController } from './authorize.controller.js';
import { CliLoginController } from './cli-login.controller.js';
import { CliLoginService } from './cli-login.service.js';
import { readRedirectHosts, readRedirectUris } from './redirect-hosts.js';
import './cli-login.errors.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { CLI_LOGIN_VARIABLES } from './cli-login.variables.js';

const SETTINGS = Symbol('CliLoginModule.forRoot');

@Module({})
class CliLoginSettingsModule {}

/** Native-app login. The module is global, so that every sign-in method can check whether it is enabled. */
@DeclaresVariables(CLI_LOGIN_VARIABLES)
@Global()
@Module({
  imports: [AuthModule],
  controllers: [AuthorizeController, CliLoginController],
  providers: [
    CliLoginService,
    {
      provide: CliLoginSettings,
      inject: [CONFIG, ModulesContainer],
      useFactory: ({ auth }: Config, modules: ModulesContainer): CliLoginSettings => ({
        ...auth.cliLogin,
        ...programmaticSettings(modules),
      }),
    },
  ],
  exports: [CliLoginSettings],
})
export class CliLoginModule {
  /**
   * Configures native-app login in code, in any module of the application.
   *
   * @param settings override the configuration, field by field. Hosts are whole names or addresses
   * without a port. The start fails on any other value.
   */
  static forRoot(settings: Partial<CliLoginSettings>): DynamicModule {
    return { module: CliLoginSettingsModule, providers: [{ provide: SETTINGS, useValue: settings }] };
  }
}

function programmaticSettings(modules: ModulesContainer): Partial<CliLoginSettings> {
  const settings = collectSettings<Partial<CliLoginSettings>>(modules, SETTINGS);
  const merged = mergeSettings<CliLoginSettings>('CliLoginModule.forRoot', settings, {
    allowedKeys: ['enabled', 'allowedRedirectHosts', 'allowedRedirectUris'],
  });
  const { allowedRedirectHosts: hosts, allowedRedirectUris: uris, ...other } = merged;
  return {
    ...other,
    ...(hosts !== undefined && { allowedRedirectHosts: readRedirectHosts(hosts) }),
    ...(uris !== undefined && { allowedRedirectUris: readRedirectUris(uris) }),
  };
}
