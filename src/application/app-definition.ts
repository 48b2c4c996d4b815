import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { CommandDefinition } from '../platform/cli/command-definition.js';
import type { CliLoginSettings } from '../identity/auth/carrier/cli-login-settings.port.js';
import type { RegistrationPolicySettings } from '../identity/auth/auth-config.types.js';
import type { RoleGrant } from '../identity/users/roles/role-grants.decorator.js';
import type { DefinedFunction } from '../data/expressions/expressions.public.js';
import type { DefinedError } from '../kernel/errors/define-error.js';
import type { AnyModule } from '../platform/extension/module-settings.js';
import type { PortImplementations } from '../platform/extension/ports.js';
import type { Variables } from '../platform/config/variables.js';
import type { MailModuleOptions } from '../platform/mail/mail.module.js';
import type { ProviderDefinition } from '../sign-in/social/providers/provider-definition.types.js';

/** A custom application: everything that it adds to the service, shared by its server, its command line and its tests. */
export interface AppDefinition {
  /**
   * Modules in addition to the built-in ones. Their routes declare access like built-in routes, and their hooks run after the built-in
   * ones.
   */
  readonly modules?: readonly AnyModule[];
  /** Classes that replace built-in implementations, by the name of the port. */
  readonly ports?: PortImplementations;
  /** Entities of the shared DataSource, in addition to those that modules declare by `@Tables`. */
  readonly entities?: readonly Type[];
  /** Migrations, recorded in a separate table. Each class name ends with a timestamp in milliseconds, which orders them. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** Directories of schema files, applied at the start, before those of the operator. */
  readonly schemas?: readonly (URL | string)[];
  /** Permissions that roles have in addition to their stored ones. */
  readonly roles?: readonly RoleGrant[];
  /** The registration policy. Each field overrides the configuration. */
  readonly registration?: Partial<RegistrationPolicySettings>;
  /** Native-app login. Each field overrides the configuration. */
  readonly cliLogin?: Partial<CliLoginSettings>;
  /** Texts of mails, part by part, and custom mails, created by `defineMail`. */
  readonly mail?: MailModuleOptions;
  /** Sign-in providers, created by `defineProvider`; `AUTH` enables them. */
  readonly providers?: readonly ProviderDefinition[];
  /** Names of resources in addition to those that modules declare by `@DeclaresResources`; `acme.*` for all with this prefix. */
  readonly resources?: readonly string[];
  /** Errors, created by `defineError`. */
  readonly errors?: readonly DefinedError[];
  /** Variables, created by `defineVariables`. */
  readonly variables?: readonly Variables[];
  /** Classes with methods marked by `@TokenClaim`. They can inject exports of `modules`, and of modules of the service. */
  readonly claims?: readonly Type[];
  /** Classes with methods marked by `@RunsJob` and `@Scheduled`. They can inject the same. */
  readonly jobs?: readonly Type[];
  /** Functions of expressions, created by `defineFunction`. */
  readonly functions?: readonly DefinedFunction[];
  /** Commands of the command line, created by `defineCommand`. */
  readonly commands?: readonly CommandDefinition[];
}

/** Defines an application. An invalid definition makes the start or the command fail. */
export function defineApp(definition: AppDefinition): AppDefinition {
  return definition;
}
