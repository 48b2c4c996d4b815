/**
 * The public API of `lintel`, for custom applications. The rest of the package is internal and can change with any release.
 */
export { type AppDefinition, defineApp } from './application/app-definition.js';
export { Application, createApp, StartError } from './application/create-app.js';
export { LintelAuthGuard } from './application/lintel-auth.guard.js';
export {
  type HostedDefinition,
  LintelModule,
  type LintelModuleAsyncOptions,
  type LintelModuleOptions,
} from './application/lintel.module.js';
export type { HostHandler, HostRequest } from './application/host-requests.js';
export { run, runWorker } from './bootstrap/run.js';
// Owners add their settings to the type of the configuration.
import './platform/database/database.variables.js';
import './platform/http/http.variables.js';
import './platform/jobs/jobs.variables.js';
import './platform/mail/mail.variables.js';
import './platform/metrics/metrics.variables.js';
import './identity/registration-policy/registration-policy.variables.js';
import './sign-in/cli-login/cli-login.variables.js';
import './sign-in/local/local.variables.js';
import './sign-in/otp/otp.variables.js';
import './sign-in/social/social.variables.js';
import './data/schema/schema.variables.js';
import './data/content/content-settings.types.js';
import './features/files/files.variables.js';

export {
  defineVariables,
  DeclaresVariables,
  type ValuesOf,
  type Variable,
  type Variables,
} from './platform/config/variables.js';
export { CONFIG } from './platform/config/config.types.js';
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
} from './platform/config/config.public.js';

export { AppError } from './kernel/errors/app-error.js';
export { defineError, type DefinedError } from './kernel/errors/define-error.js';
export { AnswersData, AnswersObject, Throws } from './platform/http/output/documentation.decorators.js';
export {
  ContentSecurityPolicy,
  type PolicyDirectives,
} from './platform/http/output/content-security-policy.decorator.js';
export { ReadsInput } from './platform/http/input/accepts.decorators.js';
export { Field } from './platform/http/input/field.decorator.js';
export { RateLimit } from './platform/http/rate-limit/rate-limit.decorator.js';
export type { RateLimitPolicy } from './platform/http/rate-limit/rate-limit.policies.js';
export {
  type NamedRateLimit,
  type RateLimitResult,
  RateLimitStore,
} from './platform/http/rate-limit/rate-limit-store.port.js';
export {
  Authenticated,
  CurrentAccount,
  CurrentPrincipal,
  DeclaresResources,
  Public,
  RefusesKeys,
  Resource,
} from './identity/auth/access/access.decorators.js';
export { Access } from './identity/auth/access/access.service.js';
export { Authenticator, type BearerOfToken } from './identity/auth/access/authenticator.port.js';
export { Client, type ClientContext } from './identity/auth/access/client-context.js';
// `export *`, because declaration merging (`declare module 'lintel' { interface OwnClaims {…} }`) does not work with named re-exports.
export * from './kernel/principal.types.js';

export { AuthModule } from './identity/auth/auth.module.js';
export { UsersModule } from './identity/users/users.module.js';
export { UsersService } from './identity/users/users.service.js';
export { RegistrationPolicyModule } from './identity/registration-policy/registration-policy.module.js';
export { CliLoginModule } from './sign-in/cli-login/cli-login.module.js';
export { MailRefused, MailTransport, type OutgoingMail } from './platform/mail/transports/mail-transport.port.js';
export { FileScanner, type ScannedFile, type ScanVerdict } from './features/files/scanning/file-scanner.port.js';
export {
  type ByteRange,
  FileStorage,
  ObjectMissing,
  type StoredObject,
} from './features/files/storage/file-storage.port.js';
export { OnPreUserRegister } from './identity/registration-policy/on-pre-user-register.decorator.js';
export type { RegistrationInput } from './identity/registration-policy/registration-input.types.js';
export { GrantsPermissions, type RoleGrant } from './identity/users/roles/role-grants.decorator.js';

export {
  type LifecycleHookOptions,
  OnBeforeLogin,
  OnCredentialsEnded,
  OnLoggedIn,
  OnPasswordChanged,
  OnSessionEnded,
  OnUserRegistered,
} from './identity/lifecycle/lifecycle-hooks.decorators.js';
export { type AccountDataRequest, OnAccountExport } from './identity/lifecycle/account-data.decorators.js';
export type {
  BeforeLoginEvent,
  CredentialsEndedEvent,
  LifecycleAccount,
  LoggedInEvent,
  PasswordChangedEvent,
  SessionEnd,
  SessionEndedEvent,
  UserRegisteredEvent,
} from './identity/lifecycle/lifecycle-event.types.js';
export { defineProvider, OffersProviders } from './sign-in/social/providers/define-provider.js';
export type {
  OAuthEndpoints,
  OAuthIdentity,
  OAuthProviderDefinition,
  OpenIdProviderDefinition,
  OwnProviderSettings,
  ProviderClaims,
  ProviderDefinition,
  ProviderIdentity,
  ProviderSetting,
  SecretContext,
  SignedSecret,
} from './sign-in/social/providers/provider-definition.types.js';
export { openIdIdentity } from './sign-in/social/providers/provider-profile.js';
export { TokenClaim, type TokenClaimContext } from './identity/auth/tokens/token-claims.decorator.js';
export {
  type FailedProof,
  type OfferedMethods,
  ProofRefused,
  type ProvenAccount,
  SignInMethod,
} from './identity/auth/sign-in/sign-in-method.port.js';
export { SignInAttempts, type SignInAttempt } from './identity/auth/sign-in/sign-in-attempts.service.js';
export { SignInService, type TokenSet } from './identity/auth/sign-in/sign-in.service.js';

export {
  type CodeRequest,
  definePurpose,
  type IssuedSecret,
  OneTimeSecrets,
  type SecretGrant,
  type SecretPurpose,
  type SecretRefusal,
  type SecretRequest,
} from './identity/secrets/one-time-secrets.port.js';
export { secretPurposes } from './identity/secrets/secret-purposes.service.js';
export { SecretsModule } from './identity/secrets/secrets.module.js';
export { MailModule } from './platform/mail/mail.module.js';
export {
  defineMail,
  type Mail,
  type MailDefinition,
  Mailer,
  type OwnMail,
  type TemplateVariable,
} from './platform/mail/mailer.port.js';

export { Content, type ContentAs, type Records } from './data/content/content.service.js';
// `export *` for declaration merging, as above: `declare module 'lintel' { interface ContentTypes … }`.
export * from './data/content/content.types.js';
export { ContentModule } from './data/content/content.module.js';
export { type DefinedFunction, defineFunction, type FunctionOf } from './data/expressions/expressions.public.js';
export { ShipsSchemas } from './data/schema/schema-directories.decorator.js';
export { AfterCommit, AfterWrite, BeforeWrite, PrepareWrite } from './identity/records/record-hooks.decorators.js';
export type {
  AfterCommitEvent,
  AfterWriteEvent,
  BeforeWriteEvent,
  PrepareWriteEvent,
} from './identity/records/record-event.types.js';

export { defineSystemSchema } from './kernel/system-schema.js';
export { provideSystemSchema } from './platform/extension/system-schema.provider.js';
export { Tables } from './platform/database/tables.decorator.js';
export { afterCommit } from './platform/database/transactions.js';
export { ChangeListener } from './platform/events/change-listener.service.js';
export { ChangeNotifier, type Notify } from './platform/events/change-notifier.service.js';
export {
  type CronSchedule,
  type IntervalSchedule,
  type Recurrence,
  RunsEvery,
  RunsJob,
  type Schedule,
  Scheduled,
} from './platform/jobs/job.decorators.js';
export { defineJob, type Job, JobFault, type JobKind, type JobKindOptions } from './platform/jobs/jobs.public.js';
export { type EnqueueOptions, Jobs } from './platform/jobs/jobs.service.js';

export { defineKeyPurpose } from './kernel/keys/key-derivation.js';
export { KeyRing, type RingCipher } from './kernel/keys/key-ring.js';
export { newId } from './kernel/keys/random.js';
export { type EndedByRestore, endedByRestore } from './platform/backup/restored-database.service.js';
export { storedSecrets } from './platform/keys/key-rotation.service.js';

export { Clock } from './kernel/clock.port.js';
export { PasswordHasher } from './identity/users/passwords/password-hasher.port.js';
export { SecondFactor } from './identity/auth/sign-in/second-factor.port.js';
export { type FactorAnswer, SecondFactorMethod } from './identity/assurance/second-factor-method.port.js';
export { StepUp, type StepUpRule } from './identity/auth/step-up/step-up.decorator.js';

export { type CommandCall, type CommandDefinition, defineCommand } from './platform/cli/command-definition.js';
export { CommandError } from './platform/cli/cli.public.js';

export type { LifeAccount, LifeHookOptions } from './deprecated-names.js';
