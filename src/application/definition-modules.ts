import { Logger, Module, type Type } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import type { AppDefinition } from './app-definition.js';
import { SERVICE_COMMANDS } from './commands.js';
import { assertCommands } from '../platform/cli/command-definition.js';
import { DeclaresResources } from '../identity/auth/access/access.decorators.js';
import { AuthModule } from '../identity/auth/auth.module.js';
import { TOKEN_CLAIMS } from '../identity/auth/tokens/token-claims.decorator.js';
import { RegistrationPolicyModule } from '../identity/registration-policy/registration-policy.module.js';
import { SecretsModule } from '../identity/secrets/secrets.module.js';
import { UsersModule } from '../identity/users/users.module.js';
import { GrantsPermissions, type RoleGrant } from '../identity/users/roles/role-grants.decorator.js';
import { assertDefinedErrors } from '../kernel/errors/define-error.js';
import { DefinitionError } from '../kernel/errors/definition-error.js';
import type { AnyModule } from '../platform/extension/module-settings.js';
import { DeclaresVariables } from '../platform/config/variables.js';
import { Tables } from '../platform/database/tables.decorator.js';
import { isRunner } from '../platform/jobs/job.decorators.js';
import { MailModule } from '../platform/mail/mail.module.js';
import { installFunctions } from '../data/expressions/expressions.public.js';
import { ShipsSchemas } from '../data/schema/schema-directories.decorator.js';
import { CliLoginModule } from '../sign-in/cli-login/cli-login.module.js';
import { OffersProviders } from '../sign-in/social/providers/define-provider.js';

const FIELDS: Readonly<Record<keyof AppDefinition, 'list' | 'object'>> = {
  modules: 'list',
  ports: 'object',
  entities: 'list',
  migrations: 'list',
  schemas: 'list',
  roles: 'list',
  resources: 'list',
  registration: 'object',
  cliLogin: 'object',
  mail: 'object',
  providers: 'list',
  errors: 'list',
  variables: 'list',
  claims: 'list',
  jobs: 'list',
  functions: 'list',
  commands: 'list',
};

/** Modules that the classes of a definition can inject from, in addition to the global ones. */
const SERVICE = [AuthModule, SecretsModule, UsersModule];

const CACHE = new WeakMap<AppDefinition, readonly AnyModule[]>();

/** @throws DefinitionError for an unknown field, and for a value of the wrong form. */
export function modulesOf(definition: AppDefinition): readonly AnyModule[] {
  const cached = CACHE.get(definition) ?? createModules(definition);
  CACHE.set(definition, cached);
  return cached;
}

function createModules(definition: AppDefinition): readonly AnyModule[] {
  assertForm(definition);
  const { modules = [], entities, migrations, schemas = [], roles = [], resources = [], variables = [] } = definition;
  const { registration, cliLogin, mail, providers: federated = [], claims = [], jobs = [] } = definition;
  const imports: AnyModule[] = [];
  if (registration !== undefined) imports.push(RegistrationPolicyModule.forRoot(registration));
  if (cliLogin !== undefined) imports.push(CliLoginModule.forRoot(cliLogin));
  if (mail !== undefined) imports.push(MailModule.forRoot(mail));
  if (Object.keys(definition).every((field) => field === 'modules' || field === 'ports')) return modules;
  const providers = [...new Set([...claims, ...jobs])];
  if (providers.length > 0) imports.push(...SERVICE, ...modules);

  @Tables({ entities, migrations })
  @ShipsSchemas(...schemas)
  @GrantsPermissions(...roles)
  @DeclaresResources(...resources)
  @DeclaresVariables(...variables)
  @OffersProviders(...federated)
  @Module({ imports, providers })
  class TheDefinition {}

  return [...modules, TheDefinition];
}

function assertForm(definition: AppDefinition): void {
  for (const [field, value] of Object.entries(definition)) {
    const form = Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof AppDefinition] : undefined;
    if (form === undefined)
      throw new DefinitionError(`The definition has no field ${field}; it has ${Object.keys(FIELDS).join(', ')}.`);
    if (value === undefined) continue;
    if (form === 'list' && !Array.isArray(value))
      throw new DefinitionError(`${field} of the definition must be a list.`);
    if (typeof value !== 'object' || value === null)
      throw new DefinitionError(`${field} of the definition must be ${form === 'list' ? 'a list' : 'an object'}.`);
  }
  assertEntries(definition);
  assertClasses('entities', definition.entities);
  assertClasses('migrations', definition.migrations);
  assertClasses('claims', definition.claims);
  assertClasses('jobs', definition.jobs);
  assertMarked('claims', definition.claims, (method) => TOKEN_CLAIMS.isOn(method), '@TokenClaim');
  assertMarked('jobs', definition.jobs, isRunner, '@RunsJob or @Scheduled');
  assertDefinedErrors(definition.errors ?? []);
  installFunctions(definition.functions ?? [], reportFunction);
}

/** Checks and names of the entries of each list. An undefined entry is usually caused by an import cycle. */
const ENTRIES: readonly (readonly [field: keyof AppDefinition, isValid: (entry: object) => boolean, what: string])[] = [
  ['modules', (entry) => typeof entry === 'function' || 'module' in entry, 'modules'],
  ['roles', isGrant, `grants such as { role: 'user', allow: ['acme.orders.*'] }`],
  ['variables', (entry) => 'token' in entry && 'variables' in entry, 'results of defineVariables()'],
  ['resources', (entry) => entry instanceof String, 'names'],
  ['schemas', (entry) => entry instanceof String || entry instanceof URL, 'paths and URLs of directories'],
];

function assertEntries(definition: AppDefinition): void {
  for (const [field, isValid, what] of ENTRIES) {
    const entries = (definition[field] ?? []) as readonly unknown[];
    const at = entries.findIndex((entry) => entry === undefined || entry === null || !isValid(Object(entry) as object));
    if (at < 0) continue;
    const advice = entries[at] === undefined ? ': is there a file that imports its importer?' : '.';
    throw new DefinitionError(
      `${field} of the definition must be a list of ${what}, and entry ${at + 1} is not one${advice}`,
    );
  }
  assertCommands(definition.commands ?? [], Object.keys(SERVICE_COMMANDS));
}

function isGrant(entry: object): boolean {
  const { role, allow } = entry as Partial<RoleGrant>;
  return typeof role === 'string' && Array.isArray(allow) && allow.every((name: unknown) => typeof name === 'string');
}

function assertClasses(field: string, classes: readonly Type[] = []): void {
  if (classes.some((candidate) => typeof candidate !== 'function'))
    throw new DefinitionError(`${field} of the definition must be a list of classes.`);
}

/** Logs the error of an expression function. The message comes from application code, so it is not sent to clients. */
function reportFunction(name: string, err: unknown): void {
  new Logger('Expressions').error({ err, function: name, msg: 'A custom expression function failed.' });
}

/** Checks that each class marks a method. A class without one would be ignored silently. */
function assertMarked(
  field: string,
  classes: readonly Type[] = [],
  isMarked: (method: object) => boolean,
  mark: string,
): void {
  for (const { name, prototype } of classes) {
    const names = new MetadataScanner().getAllMethodNames(prototype as object);
    if (!names.some((method) => isMarked(Object((prototype as Record<string, unknown>)[method]) as object)))
      throw new DefinitionError(
        `${name} is listed in ${field} of the definition, but none of its methods has ${mark}.`,
      );
  }
}
