import { type DynamicModule, Inject, Module, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { AuditModule } from './platform/audit/audit.module.js';
import { BackupModule } from './platform/backup/backup.module.js';
import { AuthModule } from './identity/auth/auth.module.js';
import { CliLoginModule } from './sign-in/cli-login/cli-login.module.js';
import { ConfigModule } from './platform/config/config.module.js';
import { type Environment, parseConfig } from './platform/config/parse-config.js';
import { defineVariables, type Variables, variablesOf } from './platform/config/variables.js';
import type { Config } from './platform/config/config.types.js';
import { PermissionCheck } from './identity/users/roles/permission-check.service.js';
import { ContentCheck } from './data/content/access/content-check.service.js';
import { ContentModule } from './data/content/content.module.js';
import { DashModule } from './edge/dash/dash.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { EventsModule } from './platform/events/events.module.js';
import type { DatabaseConnection } from './platform/database/connections/database-connection.js';
import { AuditReadingModule } from './features/audit/audit.module.js';
import { AccountModule } from './features/account/account.module.js';
import { ApiKeysModule } from './features/api-keys/api-keys.module.js';
import { BulkChangesModule } from './features/bulk-changes/bulk-changes.module.js';
import { RecordImportsModule } from './features/imports/record-imports.module.js';
import { MailsModule } from './features/mails/mails.module.js';
import { ViewsModule } from './features/views/views.module.js';
import { OperationsApiModule } from './features/operations/operations-api.module.js';
import { SettingsModule } from './features/settings/settings.module.js';
import { FilesModule } from './features/files/files.module.js';
import { ConvertModule } from './features/convert/convert.module.js';
import { TransferModule } from './features/transfer/transfer.module.js';
import { type ApplicationTables, tablesOf } from './platform/database/tables.decorator.js';
import { HealthModule } from './edge/health/health.module.js';
import { HttpModule } from './platform/http/http.module.js';
import { assertTablesDistinct, DefinitionError } from './kernel/errors/definition-error.js';
import { KeysModule } from './platform/keys/keys.module.js';
import { ExtensionModule } from './platform/extension/extension.module.js';
import { reserveTables } from './kernel/system-schema.js';
import type { AppDefinition } from './application/app-definition.js';
import { modulesOf } from './application/definition-modules.js';
import { MetricsModule } from './platform/metrics/metrics.module.js';
import { LocalModule } from './sign-in/local/local.module.js';
import { JobsModule } from './platform/jobs/jobs.module.js';
import { OperationsModule } from './platform/operations/operations.module.js';
import { MailModule } from './platform/mail/mail.module.js';
import { OpenApiModule } from './edge/openapi/openapi.module.js';
import { OtpModule } from './sign-in/otp/otp.module.js';
import { PluginsModule } from './edge/plugins/plugins.module.js';
import { RegistrationPolicyModule } from './identity/registration-policy/registration-policy.module.js';
import { SchemaFilesService } from './data/schema/schema-files.service.js';
import { AssuranceModule } from './identity/assurance/assurance.module.js';
import { SchemaModule } from './data/schema/schema.module.js';
import { SecretsModule } from './identity/secrets/secrets.module.js';
import { SetupModule } from './edge/setup/setup.module.js';
import { providersOf } from './sign-in/social/providers/define-provider.js';
import { SocialModule } from './sign-in/social/social.module.js';
import { RoleGrants } from './identity/auth/role-grants.service.js';
import { RoleSeeder } from './identity/users/roles/role-seeder.js';

/** Input of the constructor of {@link AppModule}. */
interface Assembly {
  /** The built-in modules. */
  readonly own: readonly Type[];
  /** Whether this process runs the startup tasks: not a command, and only the first of several workers. */
  readonly prepares: boolean;
}

const ASSEMBLY = Symbol('ASSEMBLY');

/** The root module. It imports the modules of Lintel, of the application and of the plugins. */
@Module({})
export class AppModule implements OnApplicationBootstrap {
  /**
   * Returns the module of an application that serves requests.
   *
   * @param connection the database to use; the caller releases it after the application is closed.
   */
  static forRoot(config: Config, connection: DatabaseConnection, definition: AppDefinition = {}): DynamicModule {
    return assemble(config, connection, definition, config.seat?.prepares !== false);
  }

  /** Returns the module for one command. It does not seed roles or apply schema files. */
  static forCommand(config: Config, connection: DatabaseConnection, definition: AppDefinition = {}): DynamicModule {
    return assemble(config, connection, definition, false);
  }

  /** @throws DefinitionError if the application imports a built-in module again: its routes and jobs would exist twice. */
  constructor(
    @Inject(ASSEMBLY) private readonly assembly: Assembly,
    private readonly module: ModuleRef,
    modules: ModulesContainer,
  ) {
    // A built-in module that is imported by its class alone is the same instance, or an empty module of a dynamic one.
    const classes = [...modules.values()]
      .filter(({ controllers, exports }) => controllers.size + exports.size > 0)
      .map(({ metatype }) => metatype);
    const twice = assembly.own.find((own) => classes.indexOf(own) !== classes.lastIndexOf(own));
    if (twice === undefined) return;
    throw new DefinitionError(`${twice.name} is already part of the application. Remove it from your modules.`);
  }

  /** Runs last: creates missing built-in roles, applies the schema files, applies the grants of modules, and logs permissions without effect. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.assembly.prepares) return;
    await this.module.get(RoleSeeder, { strict: false }).seedMissingBuiltIns();
    await this.module.get(SchemaFilesService, { strict: false }).applyAtStart();
    this.module.get(ContentCheck, { strict: false }).run();
    await this.module.get(RoleGrants, { strict: false }).apply();
    await this.module.get(PermissionCheck, { strict: false }).report();
    await this.module.get(ContentCheck, { strict: false }).reportUnknownSchemas();
  }
}

/** The built-in modules. A module is listed after the modules that it depends on. */
const OWN: readonly Type[] = [
  ExtensionModule,
  ConfigModule,
  DatabaseModule,
  KeysModule,
  MetricsModule,
  EventsModule,
  HttpModule,
  JobsModule,
  OperationsModule,
  AuditModule,
  BackupModule,
  MailModule,
  SecretsModule,
  AuthModule,
  RegistrationPolicyModule,
  LocalModule,
  OtpModule,
  SocialModule,
  CliLoginModule,
  AssuranceModule,
  SchemaModule,
  ContentModule,
  AccountModule,
  ApiKeysModule,
  FilesModule,
  BulkChangesModule,
  RecordImportsModule,
  OperationsApiModule,
  AuditReadingModule,
  MailsModule,
  SettingsModule,
  ConvertModule,
  ViewsModule,
  TransferModule,
  OpenApiModule,
  HealthModule,
  SetupModule,
  DashModule,
];
// Tools check schemas without an application, and need the reserved names.
reserveTables(tablesOf(OWN, []).names);

/** Returns the entities and migrations of the service and of the application's modules. */
export function applicationTables(definition: AppDefinition = {}): ApplicationTables {
  const tables = tablesOf(OWN, modulesOf(definition));
  reserveTables(tables.names);
  return tables;
}

/** Returns the variables of the service and of the application's modules. The first entry has no variables: it contributes the definition's ports and sign-in providers. */
export function applicationVariables(definition: AppDefinition = {}): readonly Variables[] {
  const { ports = {} } = definition;
  const ownPorts = Object.entries(ports).flatMap(([name, implementation]) =>
    implementation === undefined ? [] : [name],
  );
  const modules = [...OWN, ...modulesOf(definition)];
  const offeredProviders = providersOf(modules);
  const variables = defineVariables('Definition', {}, { settings: () => ({ ownPorts, offeredProviders }) });
  return [variables, ...variablesOf(modules)];
}

/**
 * Reads the configuration of an application; `APP_KEY` may still be empty outside production.
 *
 * @throws ConfigError with all faults.
 */
export function parseAppConfig(environment: Environment, definition?: AppDefinition): Config {
  return parseConfig(environment, applicationVariables(definition));
}

function assemble(
  config: Config,
  connection: DatabaseConnection,
  definition: AppDefinition,
  prepares: boolean,
): DynamicModule {
  assertTablesDistinct();
  const dynamicModules = new Map<Type, DynamicModule>([
    [ExtensionModule, ExtensionModule.forRoot(definition.ports)],
    [DatabaseModule, DatabaseModule.forRoot(connection, applicationTables(definition))],
    [ConfigModule, ConfigModule.forRoot(config, applicationVariables(definition))],
    ...[LocalModule, SetupModule, DashModule].map((module) => [module, module.forRoot(config)] as const),
  ]);
  const assembly: Assembly = { own: OWN, prepares };
  return {
    module: AppModule,
    imports: [...OWN.map((module) => dynamicModules.get(module) ?? module), ...modulesOf(definition), PluginsModule],
    providers: [{ provide: ASSEMBLY, useValue: assembly }],
  };
}
