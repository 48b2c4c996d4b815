import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RouteAccessInspector } from '../../src/identity/auth/access/route-access.inspector.js';
import { documentedDefault } from '../../src/platform/config/documentation.js';
import { applicationVariables } from '../../src/app.module.js';
import { generatedFiles } from '../../src/application/generated-files.js';
import { errorCodes, errorRow } from '../../src/kernel/errors/error-catalogue.js';
import { useTestApp } from '../support/test-app.js';

const ROOT = join(__dirname, '../..');

describe('the tables', () => {
  const world = useTestApp();

  it('match every generated file', () => {
    for (const [name, text] of Object.entries(generatedFiles())) {
      expect({ name, text: readFileSync(join(ROOT, name), 'utf8') }).toEqual({ name, text });
    }
  });

  it('declare access for every route, and a limit for every public write', () => {
    const routes = world.app.get(RouteAccessInspector).list();
    expect(routes.length).toBeGreaterThan(10);
    expect(routes.filter((route) => route.access === undefined)).toEqual([]);
  });

  it('give every error code a status, a text and a valid name', () => {
    expect(errorCodes().length).toBeGreaterThan(80);
    for (const code of errorCodes()) {
      const { status, message } = errorRow(code);
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(message).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('contain every variable of the specification with its default', () => {
    const specified: Record<string, string> = {
      AUTH_ENABLE_REFRESH_TOKEN: 'false',
      AUTH_REFRESH_TOKEN_LIFETIME: '604800',
      AUTH_ACCESS_TOKEN_LIFETIME: '604800 (900 when refresh is enabled)',
      AUTH_OTP_ENABLED: 'false',
      AUTH_OTP_LENGTH: '6',
      AUTH_OTP_EXPIRATION: '300',
      AUTH_OTP_MAX_ATTEMPTS: '3',
      AUTH_REG_ALLOWED_DOMAINS: '',
      AUTH_REG_BLOCKED_DOMAINS: '',
      AUTH_REG_RESERVED_USERNAMES: '',
      AUTH_CLI_LOGIN_ENABLED: 'false',
      AUTH_CLI_ALLOWED_REDIRECT_HOSTS: '',
      AUTH_DISABLE_LOCAL_LOGIN: 'false',
      AUTH_ADMIN_EMAILS: '',
    };
    const declared = applicationVariables().flatMap(({ variables }) => Object.entries(variables));
    const defaults = Object.fromEntries(declared.map(([name, variable]) => [name, documentedDefault(variable)]));
    expect(defaults).toMatchObject(specified);
  });
});
