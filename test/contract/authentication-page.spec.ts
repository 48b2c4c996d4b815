import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { errorRow, isErrorCode } from '../../src/kernel/errors/error-catalogue.js';
import { pageRefusals, quotedWords } from '../support/sign-in-errors.js';
import { ACCOUNT_PAGES, pageParts, readPage } from '../support/shell-page.js';
import { useTestApp } from '../support/test-app.js';

const SRC = join(__dirname, '../../src');
const PAGE = readPage(...ACCOUNT_PAGES, 'reference/sign-in-errors.md');

function thrownIn(folder: string): string[] {
  const files = readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' });
  const text = files
    .filter((name) => name.endsWith('.ts') && !name.includes('carrier') && !name.endsWith('.spec.ts'))
    .map((name) => readFileSync(join(SRC, folder, name), 'utf8'))
    .join('\n');
  const thrown = [...text.matchAll(/(?:AppError|mailedToken|DisabledWhen)\(\s*'([a-z_]+)'/g)].map(([, code]) => code!);
  const named = [...text.matchAll(/'([a-z_]+)'/g)].map(([, word]) => word!);
  return [...new Set([...thrown, ...named.filter((word) => word.startsWith('refresh_token_'))])].filter((code) =>
    isErrorCode(code),
  );
}

describe('the guides about accounts', () => {
  const world = useTestApp();
  const rows = pageRefusals();

  it('name existing errors for each endpoint, with their status', () => {
    expect(rows.length).toBeGreaterThan(15);
    for (const { endpoints, status, errors } of rows) {
      expect([endpoints, errors.length]).not.toEqual([endpoints, 0]);
      for (const error of errors) {
        const row = isErrorCode(error) ? errorRow(error) : undefined;
        // A token from a mail is a bad request, not a failed authentication.
        const mailed = endpoints.some((name) => /^(local|invitations)\//.test(name)) && error.startsWith('token_');
        // A signed-in user is known and refused. During the sign-in, the user is not known yet.
        const signsIn = error === 'mfa_enrollment_required' && endpoints.includes('local/login');
        expect([endpoints, error, status]).toEqual([endpoints, error, mailed ? 400 : signsIn ? 401 : row?.status]);
      }
    }
  });

  it.each(['sign-in/local', 'sign-in/otp', 'identity/auth', 'identity/registration-policy', 'identity/users'])(
    'name every error that src/%s throws',
    (folder) => {
      const named = new Set([...rows.flatMap(({ errors }) => errors), ...quotedWords(PAGE)]);
      const internal = new Set(['internal_error', 'validation_failed', 'rate_limited']);
      // The content API reports the errors of accounts and roles as records.
      const ofRecords = new Set(['field_invalid', 'record_in_use', 'last_root_account']);
      const silent = (error: string): boolean => internal.has(error) || ofRecords.has(error);
      expect(thrownIn(folder).filter((error) => !named.has(error) && !silent(error))).toEqual([]);
    },
  );

  it('have a runnable request to every account endpoint, and no other', () => {
    const scanner = new MetadataScanner();
    const there = world.app
      .get<DiscoveryService>(DiscoveryService as Type<DiscoveryService>)
      .getControllers()
      .flatMap(({ metatype }) => {
        const type = metatype as Type;
        const base = String(Reflect.getMetadata(PATH_METADATA, type));
        return scanner.getAllMethodNames(type.prototype as object).flatMap((name) => {
          const handler = (type.prototype as Record<string, object>)[name]!;
          const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
          if (method === undefined) return [];
          const path = `${base}/${String(Reflect.getMetadata(PATH_METADATA, handler))}`.replace(/\/+$/, '');
          return [`${RequestMethod[method]} ${path}`];
        });
      })
      .filter((route) => / api\/auth\/(local|otp|token|sessions|me|mfa\/step-up|logout|methods)\b/.test(route));
    const commands = pageParts(PAGE).flatMap(({ blocks }) =>
      blocks.flatMap((block) => block.replaceAll('\\\n', '').split(/^(?=.*\bcurl )/m)),
    );
    const asked = commands.flatMap((command) => {
      const path = /\$BASE\/([^\s"]+)/.exec(command)?.[1];
      const method = / -X (\w+)/.exec(command)?.[1] ?? (/ -d /.test(command) ? 'POST' : 'GET');
      return path === undefined ? [] : [`${method} ${path.replace('$OTHER', ':id')}`];
    });
    expect(there.length).toBeGreaterThan(15);
    expect([...new Set(asked)].sort()).toEqual([...there].sort());
  });
});
