import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { CliLoginModule } from './cli-login/cli-login.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Config } from './config/config.types.js';
import { DashModule } from './dash/dash.module.js';
import { DatabaseModule } from './database/database.module.js';
import type { DatabaseConnection } from './database/database-connection.js';
import { ENTITIES } from './entities.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { KernelModule } from './kernel/kernel.module.js';
import { LocalModule } from './local/local.module.js';
import { MailModule } from './mail/mail.module.js';
import { OtpModule } from './otp/otp.module.js';
import { PluginsModule } from './plugins/plugins.module.js';
import { RegistrationPolicyModule } from './registration-policy/registration-policy.module.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { SetupModule } from './setup/setup.module.js';
import { SocialModule } from './social/social.module.js';

/** The whole application: its modules in the order of the floors. */
@Module({})
export class AppModule {
  /** @param connection the database to use; the caller releases it after the application is closed. */
  static forRoot(config: Config, connection: DatabaseConnection): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KernelModule,
        ConfigModule.forRoot(config),
        DatabaseModule.forRoot(connection, ENTITIES),
        HttpModule,
        MailModule.forRoot(),
        SecretsModule,
        AuthModule,
        RegistrationPolicyModule,
        LocalModule.forRoot(config),
        OtpModule,
        SocialModule.forRoot(config),
        CliLoginModule.forRoot(),
        HealthModule,
        SetupModule.forRoot(config),
        DashModule.forRoot(config),
        PluginsModule.forRoot(config),
      ],
    };
  }
}
