import { isProviderName } from '../../../identity/auth/auth.public.js';
import { assertOwnedOnce, DefinitionError } from '../../../kernel/errors/definition-error.js';
import { type AnyModule, declarationsOf, declareOnModule } from '../../../platform/extension/module-settings.js';
import type { ProviderDefinition, ProviderSetting } from './provider-definition.types.js';
import { SHARED_SETTINGS } from './provider-settings.js';

const DEFINED = new WeakSet<object>();
const PROVIDERS = Symbol('PROVIDERS');
/** Reserved names under `AUTH.providers.{name}`. */
const RESERVED_SETTINGS = ['client_id', 'client_secret', 'issuer', 'scopes', ...Object.keys(SHARED_SETTINGS)];

/**
 * Defines a sign-in provider: OpenID Connect by its `issuer`, or OAuth 2 by its `endpoints`. `AUTH` enables it and contains its settings.
 */
export function defineProvider(definition: ProviderDefinition): ProviderDefinition {
  const defined = { ...definition };
  DEFINED.add(defined);
  return defined;
}

/** Declares the providers of a module, on its class. They can be enabled when the module is imported. */
export function OffersProviders(...providers: readonly ProviderDefinition[]): ClassDecorator {
  return declareOnModule(PROVIDERS, providers);
}

/** @throws DefinitionError for an invalid provider and for a duplicate name. */
export function providersOf(modules: readonly AnyModule[]): readonly ProviderDefinition[] {
  const found = declarationsOf<readonly ProviderDefinition[]>(modules, PROVIDERS);
  const providers = found.flatMap(({ declared }) => declared);
  providers.forEach(assertProvider);
  assertOwnedOnce(
    'the provider',
    found.flatMap(({ owner, declared }) => declared.map(({ name }) => [name, owner.name] as const)),
  );
  return providers;
}

function assertProvider(definition: ProviderDefinition): void {
  if (!DEFINED.has(definition))
    throw new DefinitionError('providers contains an entry that is not a result of defineProvider().');
  const { name, issuer, endpoints, scopes, settings = {} } = definition;
  if (typeof name !== 'string' || !isProviderName(name))
    throw new DefinitionError(
      `The provider ${JSON.stringify(name)} must have another name: lower-case letters, digits, - and _, and no name that a built-in route uses.`,
    );
  const fail = (fault: string): never => {
    throw new DefinitionError(`The provider ${name} ${fault}.`);
  };
  if ((issuer === undefined) === (endpoints === undefined))
    fail('must have either an issuer (OpenID Connect) or endpoints (OAuth 2)');
  if (issuer !== undefined && typeof issuer !== 'string' && typeof issuer !== 'function')
    fail('must have an address as its issuer, or a function that returns one from its settings');
  if (endpoints !== undefined && typeof definition.identity !== 'function')
    fail('must have a function identity that maps the claims to a profile');
  if (!Array.isArray(scopes) || !scopes.every((word: unknown) => typeof word === 'string' && /^[!-~]+$/.test(word)))
    fail('must have a list of scopes without spaces');
  assertSettings(settings, fail);
  for (const need of definition.clientSecret?.needs ?? [])
    if (!Object.hasOwn(settings, need)) fail(`uses ${need} to sign its secret, which is not one of its settings`);
  assertAtOnce(definition, fail);
}

function assertSettings(settings: Readonly<Record<string, unknown>>, fail: (fault: string) => never): void {
  for (const [key, setting] of Object.entries(settings)) {
    if (!/^[a-z][a-z0-9_]*$/.test(key) || RESERVED_SETTINGS.includes(key))
      fail(
        `must rename its setting ${key}: use lower-case letters, digits and _, and none of ${RESERVED_SETTINGS.join(', ')}`,
      );
    const { expects, accepts } = (setting ?? {}) as Partial<ProviderSetting>;
    if (typeof expects !== 'string' || typeof accepts !== 'function')
      fail(`must define expects and a function accept for its setting ${key}`);
  }
}

/** Throws if a function of a definition is async, because a promise would count as true. */
function assertAtOnce(definition: ProviderDefinition, fail: (fault: string) => never): void {
  const rows = { ...definition, ...definition.settings } as Readonly<Record<string, unknown>>;
  for (const [key, value] of Object.entries(rows)) {
    const run = typeof value === 'object' && value !== null && 'accepts' in value ? value.accepts : value;
    const isPlain = typeof run !== 'function' || key === 'identity' || run.constructor.name === 'Function';
    if (!isPlain) fail(`must return ${key} synchronously: neither async nor a generator`);
  }
}
