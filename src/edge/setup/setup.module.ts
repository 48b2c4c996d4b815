import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../../platform/config/config.types.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { SetupController } from './setup.controller.js';
import { SetupService } from './setup.service.js';
import './setup.errors.js';
import { endedByRestore } from '../../platform/backup/restored-database.service.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { SetupTokens1700000000510 } from './setup-tokens.migration.js';

@Tables({ others: ['setup_tokens'], migrations: [SetupTokens1700000000510] })
@Module({})
export class SetupModule {
  /** @param config determines whether password sign-in is enabled. Without it the routes do not exist. */
  static forRoot({ auth }: Pick<Config, 'auth'>): DynamicModule {
    return {
      module: SetupModule,
      imports: [UsersModule],
      controllers: auth.localLoginDisabled ? [] : [SetupController],
      providers: [SetupService, endedByRestore('secrets', 'setup_tokens')],
    };
  }
}
