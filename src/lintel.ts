/** What an application of a team's own imports from `lintel`. The rest of the package is no interface: it changes with any release. */
export { type AppDefinition, defineApp } from './app-definition.js';
export { Application, createApp, StartError } from './create-app.js';
export { run } from './run.js';
// Owners add their settings to the type of the configuration.
import './platform/database/database.variables.js';
import './platform/http/http.variables.js';
import './platform/mail/mail.variables.js';
import './identity/registration-policy/registration-policy.variables.js';
import './sign-in/cli-login/cli-login.variables.js';
import './sign-in/local/local.variables.js';
import './sign-in/otp/otp.variables.js';
import './sign-in/social/social.variables.js';
import './data/schema/schema.variables.js';
import './data/content/content-settings.types.js';

export {
  defineVariables,
  DeclaresVariables,
  type ValuesOf,
  type Variable,
  type Variables,
} from './platform/config/variables.js';
export { CONFIG } from './platform/config/config.module.js';
export type { Config } from './platform/config/config.types.js';
export type { Environment } from './platform/config/parse-config.js';
export {
  parseAddress,
  parseBoolean,
  parseInteger,
  parseLine,
  parseList,
  parseOneOf,
  type Parser,
  parseSecret,
  ValueFault,
} from './platform/config/parsers.js';

export { AppError } from './kernel/app-error.js';
export { defineError, type DefinedError } from './kernel/define-error.js';
export { AnswersData, AnswersObject, Throws } from './platform/http/documentation.decorators.js';
export { Field } from './platform/http/field.decorator.js';
export { RateLimit } from './platform/http/rate-limit/rate-limit.decorator.js';
export {
  CurrentAccount,
  CurrentPrincipal,
  DeclaresResources,
  Public,
  Resource,
} from './identity/auth/access/access.decorators.js';
export { Access } from './identity/auth/access/access.service.js';
export { AuthModule } from './identity/auth/auth.module.js';
export type { AccountPrincipal, Principal } from './kernel/principal.types.js';

export { RegistrationPolicyModule } from './identity/registration-policy/registration-policy.module.js';
export { CliLoginModule } from './sign-in/cli-login/cli-login.module.js';
export { MailModule } from './platform/mail/mail.module.js';
export { OnPreUserRegister } from './identity/registration-policy/on-pre-user-register.decorator.js';
export type { RegistrationInput } from './identity/registration-policy/registration-input.types.js';
export { GrantsPermissions, type RoleGrant } from './identity/users/role-grants.decorator.js';

export { ShipsSchemas } from './data/schema/schema-directories.decorator.js';
export { AfterCommit, AfterWrite, BeforeWrite, PrepareWrite } from './identity/records/record-hooks.decorators.js';
export type {
  AfterCommitEvent,
  AfterWriteEvent,
  BeforeWriteEvent,
  PrepareWriteEvent,
} from './identity/records/record-event.types.js';

export { defineSystemSchema, provideSystemSchema } from './kernel/system-schema.js';
export { Tables } from './platform/database/tables.decorator.js';
export { afterCommit } from './platform/database/commit-effects.js';
export { RunsEvery, RunsJob } from './platform/jobs/job.decorators.js';
export { Jobs } from './platform/jobs/jobs.service.js';

export { Clock } from './kernel/clock.port.js';
export { OneTimeSecrets } from './identity/secrets/one-time-secrets.port.js';
export { PasswordHasher } from './identity/users/password-hasher.port.js';
export { Mailer } from './platform/mail/mailer.port.js';
export { SecondFactor } from './identity/auth/sign-in/second-factor.port.js';

export { type CommandCall, type CommandDefinition, defineCommand } from './edge/cli/command-definition.js';
export { CommandError } from './edge/cli/command-error.js';
