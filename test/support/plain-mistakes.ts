import type { AppDefinition } from '../../src/application/app-definition.js';
import { RegistrationPolicyModule } from '../../src/identity/registration-policy/registration-policy.module.js';
import { defineFunction } from '../../src/data/expressions/own-functions.js';
import { defineCommand } from '../../src/platform/cli/command-definition.js';
import { defineError } from '../../src/kernel/errors/define-error.js';
import { defineVariables } from '../../src/platform/config/variables.js';
import { parseInteger } from '../../src/platform/config/parsers.js';
import { defineMail } from '../../src/platform/mail/mailer.port.js';
import { defineProvider } from '../../src/sign-in/social/providers/define-provider.js';

/** A mistake in a definition, and the expected error message. */
export type Mistake = readonly [name: string, make: () => AppDefinition, sentence: string];

const NUMBER = { parse: parseInteger(1, 9), default: 1, meaning: 'a number' };
const MAIL = { subject: 'x', html: '<p>x</p>', text: 'x', variables: {} };

/** Mistakes that need no class, by the part of the definition. */
export const PLAIN_MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  'a definition': [
    [
      'a field that there is not',
      () => ({ module: [] }) as AppDefinition,
      'The definition has no field module; it has',
    ],
    [
      'a module of a file that imports its importer',
      () => ({ modules: [undefined as never] }),
      'modules of the definition must be a list of modules, and entry 2 is none: is there a file that imports its importer?',
    ],
  ],
  'own schemas and grants': [
    [
      'a directory that is not there',
      () => ({ schemas: ['/nowhere/schemas'] }),
      'TheDefinition brings schemas of /nowhere/schemas, and there is no such directory.',
    ],
    [
      'a grant of nothing',
      () => ({ roles: [{ role: 'user' } as never] }),
      "roles of the definition must be a list of grants, as { role: 'user', allow: ['acme.orders.*'] } is, and entry 1 is none.",
    ],
    [
      'a grant of what no module declares',
      () => ({ roles: [{ role: 'user', allow: ['acme.ordres.*'] }] }),
      'The role user is granted acme.ordres.*, and no module declares such a resource: check its spelling.',
    ],
    [
      'a second policy',
      () => ({
        registration: { normalizeEmail: true },
        modules: [RegistrationPolicyModule.forRoot({ normalizeEmail: false })],
      }),
      'Two modules set normalizeEmail by RegistrationPolicyModule.forRoot, and differently: set it in one of them.',
    ],
  ],
  'own errors': [
    [
      'a code in capitals',
      () => ({ errors: [defineError('ACME_STOCK', { status: 409, message: 'x' })] }),
      'The error ACME_STOCK must be of small letters, digits and _, as acme_out_of_stock is.',
    ],
    [
      'a status that is no failure',
      () => ({ errors: [defineError('acme_mistaken_status', { status: 200, message: 'x' })] }),
      'The error acme_mistaken_status must have a status from 400 to 599, and it has 200.',
    ],
  ],
  'own providers': [
    [
      'a name of ours',
      () => ({ providers: [defineProvider({ name: 'google', issuer: 'https://acme.example', scopes: [] })] }),
      'SocialModule and TheDefinition both declare the provider google: rename one of them.',
    ],
    [
      'no way to speak to it',
      () => ({ providers: [defineProvider({ name: 'acme', scopes: [] } as never)] }),
      'The provider acme must have either an issuer (OpenID Connect) or endpoints (OAuth 2).',
    ],
  ],
  'own mails': [
    [
      'a name in capitals',
      () => ({ mail: { mails: [defineMail('Acme', MAIL)] } }),
      'A mail cannot be called "Acme": write at most 60 small letters, digits and hyphens, such as acme-invitation.',
    ],
    [
      'a variable in its text that it does not declare',
      () => ({ mail: { mails: [defineMail('acme', { ...MAIL, text: 'Hello {{nmae}}' })] } }),
      'nmae',
    ],
    [
      'a text for a mail that there is not',
      () => ({ mail: { templates: { activaton: { subject: 'x' } } as never } }),
      'activaton',
    ],
  ],
  'own functions': [
    [
      'a signature that is none',
      () => ({ functions: [defineFunction('rank(int): int' as 'acme_rank(int): int', (views) => views)] }),
      'The function "rank(int): int" must be written as acme_rank(int, string): int, its name with a word of your own before a _.',
    ],
  ],
  'own variables': [
    [
      'one of ours',
      () => ({ variables: [defineVariables('Acme', { PORT: NUMBER })] }),
      'ConfigModule and TheDefinition both declare the variable PORT: rename one of them.',
    ],
    [
      'what is none',
      () => ({ variables: [{ ACME_POTS: NUMBER } as never] }),
      'variables of the definition must be a list of what defineVariables made, and entry 1 is none.',
    ],
  ],
  'own commands': [
    [
      'a name of ours',
      () => ({ commands: [defineCommand({ name: 'user:feed', description: 'x', run: async () => undefined })] }),
      'The command user:feed is in a group of the service: give it one of the application.',
    ],
    [
      'a name without a group',
      () => ({ commands: [defineCommand({ name: 'feed', description: 'x', run: async () => undefined })] }),
      'The command feed must be called by a group and what it does, as acme:import is.',
    ],
  ],
  'own ports': [
    [
      'a name that is none',
      () => ({ ports: { hasher: class {} } as never }),
      'ports.hasher is no port; the ports are clock,',
    ],
    [
      'a class of another type',
      () => ({ ports: { mailTransport: class Post {} as never } }),
      'ports.mailTransport: Post has no send().',
    ],
  ],
};
