import type { AppDefinition } from '../../src/application/app-definition.js';
import { RegistrationPolicyModule } from '../../src/identity/registration-policy/registration-policy.module.js';
import { defineFunction } from '../../src/data/expressions/own-functions.js';
import { defineCommand } from '../../src/platform/cli/command-definition.js';
import { defineError } from '../../src/kernel/errors/define-error.js';
import { defineVariables } from '../../src/platform/config/variables.js';
import { parseInteger } from '../../src/platform/config/config.public.js';
import { defineMail } from '../../src/platform/mail/mailer.port.js';
import { defineProvider } from '../../src/sign-in/social/providers/define-provider.js';

/** A mistake in a definition, and the expected error message. */
export type Mistake = readonly [name: string, make: () => AppDefinition, sentence: string];

const NUMBER = { parse: parseInteger(1, 9), default: 1, meaning: 'a number' };
const MAIL = { subject: 'x', html: '<p>x</p>', text: 'x', variables: {} };

/** Mistakes that need no class, by the part of the definition. */
export const PLAIN_MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  'a definition': [
    ['an unknown field', () => ({ module: [] }) as AppDefinition, 'The definition has no field module; it has'],
    [
      'a module of a file that imports its importer',
      () => ({ modules: [undefined as never] }),
      'modules of the definition must be a list of modules, and entry 2 is not one: is there a file that imports its importer?',
    ],
  ],
  'own schemas and grants': [
    [
      'a missing directory',
      () => ({ schemas: ['/nowhere/schemas'] }),
      'TheDefinition lists schemas in /nowhere/schemas, but this directory does not exist.',
    ],
    [
      'an empty grant',
      () => ({ roles: [{ role: 'user' } as never] }),
      "roles of the definition must be a list of grants such as { role: 'user', allow: ['acme.orders.*'] }, and entry 1 is not one.",
    ],
    [
      'a grant of an undeclared resource',
      () => ({ roles: [{ role: 'user', allow: ['acme.ordres.*'] }] }),
      'The role user is granted acme.ordres.*, which no module declares as a resource. Check the spelling.',
    ],
    [
      'a second policy',
      () => ({
        registration: { normalizeEmail: true },
        modules: [RegistrationPolicyModule.forRoot({ normalizeEmail: false })],
      }),
      'Two modules set normalizeEmail with RegistrationPolicyModule.forRoot to different values. Set it in one module only.',
    ],
  ],
  'own errors': [
    [
      'a code in capitals',
      () => ({ errors: [defineError('ACME_STOCK', { status: 409, message: 'x' })] }),
      'The error ACME_STOCK must consist of lower-case letters, digits and underscores, such as acme_out_of_stock.',
    ],
    [
      'a status that is not an error',
      () => ({ errors: [defineError('acme_mistaken_status', { status: 200, message: 'x' })] }),
      'The error acme_mistaken_status must have a status from 400 to 599, not 200.',
    ],
  ],
  'own providers': [
    [
      'a built-in name',
      () => ({ providers: [defineProvider({ name: 'google', issuer: 'https://acme.example', scopes: [] })] }),
      'SocialModule and TheDefinition both declare the provider google. Rename one of them.',
    ],
    [
      'neither an issuer nor endpoints',
      () => ({ providers: [defineProvider({ name: 'acme', scopes: [] } as never)] }),
      'The provider acme must have either an issuer (OpenID Connect) or endpoints (OAuth 2).',
    ],
  ],
  'own mails': [
    [
      'a name in capitals',
      () => ({ mail: { mails: [defineMail('Acme', MAIL)] } }),
      'The mail name "Acme" is not valid. Use at most 60 lower-case letters, digits and hyphens, such as acme-invitation.',
    ],
    [
      'an undeclared variable in the text',
      () => ({ mail: { mails: [defineMail('acme', { ...MAIL, text: 'Hello {{nmae}}' })] } }),
      'nmae',
    ],
    [
      'a text for an unknown mail',
      () => ({ mail: { templates: { activaton: { subject: 'x' } } as never } }),
      'activaton',
    ],
  ],
  'own functions': [
    [
      'an invalid signature',
      () => ({ functions: [defineFunction('rank(int): int' as 'acme_rank(int): int', (views) => views)] }),
      'The function "rank(int): int" must have a form such as acme_rank(int, string): int. The name must start with your own prefix and an underscore.',
    ],
  ],
  'own variables': [
    [
      'a built-in variable',
      () => ({ variables: [defineVariables('Acme', { PORT: NUMBER })] }),
      'ConfigModule and TheDefinition both declare the variable PORT. Rename one of them.',
    ],
    [
      'a value that is not a list of variables',
      () => ({ variables: [{ ACME_POTS: NUMBER } as never] }),
      'variables of the definition must be a list of results of defineVariables(), and entry 1 is not one.',
    ],
  ],
  'own commands': [
    [
      'a built-in name',
      () => ({ commands: [defineCommand({ name: 'user:feed', description: 'x', run: async () => undefined })] }),
      'The command user:feed uses a group of the service. Use a group of the application.',
    ],
    [
      'a name without a group',
      () => ({ commands: [defineCommand({ name: 'feed', description: 'x', run: async () => undefined })] }),
      'The command feed must have a name with a group and an action, such as acme:import.',
    ],
  ],
  'own ports': [
    [
      'an unknown port',
      () => ({ ports: { hasher: class {} } as never }),
      'ports.hasher is not a port. The ports are clock,',
    ],
    [
      'a class of another type',
      () => ({ ports: { mailTransport: class Post {} as never } }),
      'ports.mailTransport: Post has no send().',
    ],
  ],
};
