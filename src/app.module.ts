import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { CliLoginModule } from './cli-login/cli-login.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Config } from './config/config.types.js';
import { ContentModule } from './content/content.module.js';
import { DashModule } from './dash/dash.module.js';
import { DatabaseModule } from './database/database.module.js';
import type { DatabaseConnection } from './database/database-connection.js';
import { ENTITIES } from './entities.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { KernelModule } from './kernel/kernel.module.js';
import type { PortImplementations } from './kernel/ports.js';
import { LocalModule } from './local/local.module.js';
import { MailModule } from './mail/mail.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { OtpModule } from './otp/otp.module.js';
import { PluginsModule } from './plugins/plugins.module.js';
import { RegistrationPolicyModule } from './registration-policy/registration-policy.module.js';
import { SchemaModule } from './schema/schema.module.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { SetupModule } from './setup/setup.module.js';
import { SocialModule } from './social/social.module.js';

/** What a team that builds its own application adds (docs/extending.md). */
export interface AppExtras {
  /** Modules beside ours. Their routes declare access like ours, and their hooks run after ours. */
  readonly modules?: readonly (Type | DynamicModule)[];
  /** Classes that take the place of our own, by the port that each fills. */
  readonly ports?: PortImplementations;
}

/** The whole application: its modules in the order of the floors. */
@Module({})
export class AppModule {
  /** @param connection the database to use; the caller releases it after the application is closed. */
  static forRoot(config: Config, connection: DatabaseConnection, extras: AppExtras = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KernelModule.forRoot(extras.ports),
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
        SchemaModule,
        ContentModule,
        OpenApiModule,
        HealthModule,
        SetupModule.forRoot(config),
        DashModule.forRoot(config),
        ...(extras.modules ?? []),
        PluginsModule.forRoot(config),
      ],
    };
  }
}
