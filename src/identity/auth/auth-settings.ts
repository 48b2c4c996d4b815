import { asciiDomain } from '../../kernel/text/email-address.js';
import {
  parseAddress,
  parseHost,
  parseRedirectUri,
  parseOneOf,
  type Parser,
  type ReportFault,
  ValueFault,
} from '../../platform/config/config.public.js';
import type {
  ActivationMethod,
  ProviderSettings,
  RegistrationPolicySettings,
  VerificationMethod,
} from './auth-config.types.js';

import type { CliLoginSettings } from './carrier/cli-login-settings.port.js';

/** Settings of the `AUTH` variable, before individual variables override them. */
export interface AuthSettings {
  readonly enabledProviders: readonly string[];
  readonly providers: readonly ProviderSettings[];
  readonly local: {
    readonly activationMethod?: ActivationMethod;
    readonly verificationMethod?: VerificationMethod;
    readonly activationUrl?: string;
    readonly recoveryUrl?: string;
    readonly emailChangeUrl?: string;
  };
  readonly registration: Partial<RegistrationPolicySettings> | undefined;
  readonly cliLogin: Partial<CliLoginSettings>;
}

type Fields = Readonly<Record<string, unknown>>;
/** Reads the value at a path of the JSON. Missing and invalid values are undefined. */
type Reader<T> = (path: string, value: unknown) => T;
const PROVIDER_NAME = /^[a-z][a-z0-9_-]{0,39}$/;
/** Path segments of `/api/auth/…`, and `provider` values of accounts without a provider. No provider may use these names. */
const RESERVED_NAMES = new Set(
  `authorize cli credentials devices erased exchange identities introspect invitations keys local logout me methods
   mfa otp passkeys permissions service sessions token`.split(/\s+/),
);

/** Provider names are used in routes, cookies and settings. */
export function isProviderName(name: string): boolean {
  return PROVIDER_NAME.test(name) && !RESERVED_NAMES.has(name);
}

/** Reads the JSON of `AUTH`. Errors are not thrown: `report` receives the place and the message of each. */
export class AuthSettingsReader {
  constructor(private readonly report: ReportFault) {}

  /** Invalid parts are omitted from the result. */
  read(text: string): AuthSettings {
    const root = this.object('AUTH', this.parseJson(text), [
      'enabled_providers',
      'providers',
      'registration',
      'cli_login',
    ]);
    const providers = this.object('AUTH.providers', root['providers']);
    const { local, ...social } = providers;
    return {
      enabledProviders: this.list(asIdentifier)('AUTH.enabled_providers', root['enabled_providers']) ?? [],
      providers: Object.entries(social).flatMap(([name, value]) => this.provider(name, value)),
      local: this.members('AUTH.providers.local', local, {
        activationMethod: this.text(parseOneOf('auto', 'manual', 'email')),
        verificationMethod: this.text(parseOneOf('link', 'otp')),
        activationUrl: this.text(asAddress),
        recoveryUrl: this.text(asAddress),
        emailChangeUrl: this.text(asAddress),
      }),
      registration: root['registration'] === undefined ? undefined : this.registration(root['registration']),
      cliLogin: this.members('AUTH.cli_login', root['cli_login'], {
        enabled: this.boolean(),
        allowedRedirectHosts: this.list(parseHost),
        allowedRedirectUris: this.list(parseRedirectUri),
      }),
    };
  }

  private parseJson(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      this.report('AUTH', 'be JSON');
      return {};
    }
  }

  private provider(name: string, value: unknown): ProviderSettings[] {
    const path = `AUTH.providers.${name}`;
    if (!isProviderName(name)) {
      this.report(
        path,
        'have another name: lower-case letters, digits, - and _, and no name that a built-in route uses',
      );
      return [];
    }
    const { client_id, client_secret, issuer, scopes, ...extra } = this.object(path, value);
    return [
      {
        name,
        clientId: this.text(asIdentifier)(`${path}.client_id`, client_id) ?? '',
        clientSecret: this.text(asIdentifier)(`${path}.client_secret`, client_secret) ?? '',
        issuer: this.text(asAddress)(`${path}.issuer`, issuer),
        scopes: this.list(asIdentifier)(`${path}.scopes`, scopes),
        extra,
      },
    ];
  }

  private registration(value: unknown): Partial<RegistrationPolicySettings> {
    return this.members('AUTH.registration', value, {
      allowedEmailDomains: this.list(asDomain),
      blockedEmailDomains: this.list(asDomain),
      reservedUsernames: this.list(asIdentifier),
      normalizeEmail: this.boolean(),
    });
  }

  /** Reads the members of an object. In JSON their names are in snake case. */
  private members<T extends object>(
    path: string,
    value: unknown,
    readers: { readonly [Name in keyof T]: Reader<T[Name]> },
  ): T {
    const members = Object.entries<Reader<unknown>>(readers).map(
      ([name, read]) => [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), read] as const,
    );
    const fields = this.object(
      path,
      value,
      members.map(([, key]) => key),
    );
    return Object.fromEntries(members.map(([name, key, read]) => [name, read(`${path}.${key}`, fields[key])])) as T;
  }

  private object(path: string, value: unknown, keys?: readonly string[]): Fields {
    if (value === undefined) return {};
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.report(path, 'be an object');
      return {};
    }
    const unknown = keys === undefined ? [] : Object.keys(value).filter((key) => !keys.includes(key));
    for (const key of unknown) this.report(`${path}.${key}`, `not be set; known members are ${keys?.join(', ')}`);
    return value as Fields;
  }

  private list<T>(parse: Parser<T>): Reader<T[] | undefined> {
    const entryOf = this.text(parse);
    return (path, value) => {
      if (value === undefined) return undefined;
      if (Array.isArray(value)) return value.flatMap((entry, index) => entryOf(`${path}[${index}]`, entry) ?? []);
      this.report(path, 'be a list');
      return undefined;
    };
  }

  private text<T>(parse: Parser<T>): Reader<T | undefined> {
    return (path, value) => {
      if (value === undefined) return undefined;
      try {
        if (typeof value !== 'string') throw new ValueFault('be text');
        return parse(value);
      } catch (error) {
        this.report(path, error instanceof Error ? error.message : 'be valid');
        return undefined;
      }
    };
  }

  private boolean(): Reader<boolean | undefined> {
    return (path, value) => {
      if (value === undefined || typeof value === 'boolean') return value;
      this.report(path, 'be true or false');
      return undefined;
    };
  }
}

const asAddress = parseAddress(['http:', 'https:']);

function asIdentifier(text: string): string {
  if (text === '' || /\p{Cc}/u.test(text)) throw new ValueFault('be one line of text');
  return text;
}

function asDomain(text: string): string {
  const domain = asciiDomain(text);
  if (domain === null) throw new ValueFault('be an e-mail domain');
  return domain;
}
