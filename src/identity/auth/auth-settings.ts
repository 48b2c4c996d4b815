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
  readonly cliLogin: {
    readonly enabled?: boolean;
    readonly allowedRedirectHosts?: readonly string[];
    readonly allowedRedirectUris?: readonly string[];
  };
}

type Fields = Readonly<Record<string, unknown>>;
const PROVIDER_NAME = /^[a-z][a-z0-9_-]{0,39}$/;
/** Path segments of `/api/auth/…`, and `provider` values of accounts without a provider. No provider may use these names. */
const RESERVED_NAMES = [
  'authorize',
  'cli',
  'credentials',
  'devices',
  'erased',
  'exchange',
  'identities',
  'introspect',
  'invitations',
  'keys',
  'local',
  'logout',
  'me',
  'methods',
  'mfa',
  'otp',
  'passkeys',
  'permissions',
  'service',
  'sessions',
  'token',
];

/** Provider names are used in routes, cookies and settings. */
export function isProviderName(name: string): boolean {
  return PROVIDER_NAME.test(name) && !RESERVED_NAMES.includes(name);
}

/** Reads the JSON of `AUTH` (CONTRACT §1). Errors are not thrown: `report` receives the place and the message of each. */
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
      enabledProviders: this.list('AUTH.enabled_providers', root['enabled_providers'], asWord) ?? [],
      providers: Object.entries(social).flatMap(([name, value]) => this.provider(name, value)),
      local: this.localProvider(local),
      registration: root['registration'] === undefined ? undefined : this.registration(root['registration']),
      cliLogin: this.cliLogin(root['cli_login']),
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
    const place = `AUTH.providers.${name}`;
    if (!isProviderName(name)) {
      this.report(place, 'have another name: lower-case letters, digits, - and _, and none that a route of ours uses');
      return [];
    }
    const { client_id, client_secret, issuer, scopes, ...extra } = this.object(place, value);
    const clientId = this.value(`${place}.client_id`, client_id, asWord) ?? '';
    const clientSecret = this.value(`${place}.client_secret`, client_secret, asWord) ?? '';
    return [
      {
        name,
        clientId,
        clientSecret,
        issuer: this.value(`${place}.issuer`, issuer, asAddress),
        scopes: this.list(`${place}.scopes`, scopes, asWord),
        extra,
      },
    ];
  }

  private localProvider(value: unknown): AuthSettings['local'] {
    const place = 'AUTH.providers.local';
    const keys = ['activation_method', 'verification_method', 'activation_url', 'recovery_url', 'email_change_url'];
    const fields = this.object(place, value, keys);
    const read = <T>(key: string, parse: Parser<T>): T | undefined => this.value(`${place}.${key}`, fields[key], parse);
    return {
      activationMethod: read('activation_method', parseOneOf('auto', 'manual', 'email')),
      verificationMethod: read('verification_method', parseOneOf('link', 'otp')),
      activationUrl: read('activation_url', asAddress),
      recoveryUrl: read('recovery_url', asAddress),
      emailChangeUrl: read('email_change_url', asAddress),
    };
  }

  private registration(value: unknown): Partial<RegistrationPolicySettings> {
    const place = 'AUTH.registration';
    const keys = ['allowed_email_domains', 'blocked_email_domains', 'reserved_usernames', 'normalize_email'];
    const fields = this.object(place, value, keys);
    return {
      allowedEmailDomains: this.list(`${place}.allowed_email_domains`, fields['allowed_email_domains'], asDomain),
      blockedEmailDomains: this.list(`${place}.blocked_email_domains`, fields['blocked_email_domains'], asDomain),
      reservedUsernames: this.list(`${place}.reserved_usernames`, fields['reserved_usernames'], asWord),
      normalizeEmail: this.boolean(`${place}.normalize_email`, fields['normalize_email']),
    };
  }

  private cliLogin(value: unknown): AuthSettings['cliLogin'] {
    const place = 'AUTH.cli_login';
    const fields = this.object(place, value, ['enabled', 'allowed_redirect_hosts', 'allowed_redirect_uris']);
    return {
      enabled: this.boolean(`${place}.enabled`, fields['enabled']),
      allowedRedirectHosts: this.list(`${place}.allowed_redirect_hosts`, fields['allowed_redirect_hosts'], parseHost),
      allowedRedirectUris: this.list(
        `${place}.allowed_redirect_uris`,
        fields['allowed_redirect_uris'],
        parseRedirectUri,
      ),
    };
  }

  private object(place: string, value: unknown, keys?: readonly string[]): Fields {
    if (value === undefined) return {};
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.report(place, 'be an object');
      return {};
    }
    const unknown = keys === undefined ? [] : Object.keys(value).filter((key) => !keys.includes(key));
    for (const key of unknown) this.report(`${place}.${key}`, `not be there; known are ${keys?.join(', ')}`);
    return value as Fields;
  }

  private list<T>(place: string, value: unknown, parse: Parser<T>): T[] | undefined {
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) {
      this.report(place, 'be a list');
      return undefined;
    }
    return value.flatMap((entry, index) => this.value(`${place}[${index}]`, entry, parse) ?? []);
  }

  private value<T>(place: string, value: unknown, parse: Parser<T>): T | undefined {
    if (value === undefined) return undefined;
    try {
      if (typeof value !== 'string') throw new ValueFault('be text');
      return parse(value);
    } catch (error) {
      this.report(place, error instanceof Error ? error.message : 'be valid');
      return undefined;
    }
  }

  private boolean(place: string, value: unknown): boolean | undefined {
    if (value === undefined || typeof value === 'boolean') return value;
    this.report(place, 'be true or false');
    return undefined;
  }
}

const asAddress = parseAddress(['http:', 'https:']);

function asWord(text: string): string {
  if (text === '' || /\p{Cc}/u.test(text)) throw new ValueFault('be one line of text');
  return text;
}

function asDomain(text: string): string {
  const domain = asciiDomain(text);
  if (domain === null) throw new ValueFault('be an e-mail domain');
  return domain;
}
