import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { CommandDefinition } from '../platform/cli/command-definition.js';
import type { CliLoginSettings } from '../identity/auth/carrier/cli-login-settings.port.js';
import type { RegistrationPolicySettings } from '../identity/auth/auth-config.types.js';
import type { RoleGrant } from '../identity/users/roles/role-grants.decorator.js';
import type { DefinedFunction } from '../data/expressions/expressions.public.js';
import type { DefinedError } from '../kernel/errors/define-error.js';
import type { AnyModule } from '../kernel/module-settings.js';
import type { PortImplementations } from '../kernel/ports.js';
import type { Variables } from '../platform/config/variables.js';
import type { MailModuleOptions } from '../platform/mail/mail.module.js';
import type { ProviderDefinition } from '../sign-in/social/providers/provider-definition.types.js';

/** An application of a team's own: what it adds to the service, shared by its server, its command line and its tests. */
export interface AppDefinition {
  /** Modules beside ours. Their routes declare access like ours, and their hooks run after ours. */
  readonly modules?: readonly AnyModule[];
  /** Classes that take the place of our own, by the name of the port. */
  readonly ports?: PortImplementations;
  /** Entities of the one DataSource, beside those that modules declare by `@Tables`. */
  readonly entities?: readonly Type[];
  /** Migrations, kept in a table of their own; each class ends with the millisecond of its making, which orders them. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** Directories of schema files, applied at the start, before those of the operator. */
  readonly schemas?: readonly (URL | string)[];
  /** Permissions that roles have besides those that they are given otherwise. */
  readonly roles?: readonly RoleGrant[];
  /** The registration policy; each field wins over the configuration. */
  readonly registration?: Partial<RegistrationPolicySettings>;
  /** Native-app login; each field wins over the configuration. */
  readonly cliLogin?: Partial<CliLoginSettings>;
  /** Texts of mails, part by part, and mails of its own, made by `defineMail`. */
  readonly mail?: MailModuleOptions;
  /** Providers to sign in by, made by `defineProvider`; `AUTH` enables them. */
  readonly providers?: readonly ProviderDefinition[];
  /** Names of resources beside those that modules declare by `@DeclaresResources`; `acme.*` for all that begin so. */
  readonly resources?: readonly string[];
  /** Errors, made by `defineError`. */
  readonly errors?: readonly DefinedError[];
  /** Variables, made by `defineVariables`. */
  readonly variables?: readonly Variables[];
  /** Classes with methods marked by `@TokenClaim`; they inject what `modules` export, and modules of the service. */
  readonly claims?: readonly Type[];
  /** Classes with methods marked by `@RunsJob` and `@Scheduled`, likewise. */
  readonly jobs?: readonly Type[];
  /** Functions of expressions, made by `defineFunction`. */
  readonly functions?: readonly DefinedFunction[];
  /** Commands of the command line, made by `defineCommand`. */
  readonly commands?: readonly CommandDefinition[];
}

/** Defines an application. What cannot work in it ends the start, or the command, with one sentence. */
export function defineApp(definition: AppDefinition): AppDefinition {
  return definition;
}
