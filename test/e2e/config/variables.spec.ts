import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { applicationVariables, parseAppConfig as parseConfig } from '../../../src/app.module.js';
import { ConfigError } from '../../../src/platform/config/parse-config.js';
import { addressDatabase } from '../../support/address-database.js';

interface Row {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

const BOOLEAN: Row = { good: ['true', 'false', '1', '0'], bad: ['yes', 'TRUE', ' true', 'on', '2'] };
const SECONDS: Row = { good: ['1', '604800'], bad: ['0', '-1', '1.5', '1e3', '0x10', ' 5', '7d', '9'.repeat(16)] };
const DOMAINS: Row = {
  good: ['acme.test', 'a.test, b.test,,', 'bücher.example'],
  bad: ['localhost', '@acme.test', '*.acme.test', 'a.test;b.test', 'https://acme.test', 'acme.test.', 'ａcme.test'],
};

const directory = mkdtempSync(join(tmpdir(), 'lintel-variables-'));
afterAll(() => rmSync(directory, { recursive: true }));
const PLACES = join(directory, 'places.mmdb');
writeFileSync(PLACES, addressDatabase({ '192.0.2.0/24': { country: { iso_code: 'IT' } } }));

/** Valid and invalid values of each variable. `AUTH` has a separate spec. */
const ROWS: Readonly<Record<string, Row>> = {
  NODE_ENV: { good: ['development', 'test'], bad: ['prod', 'Production', 'staging'] },
  PORT: { good: ['0', '1', '65535'], bad: ['-1', '65536', '80a', '8_000', '٣', '0x50', '+80', '80.0'] },
  WORKERS: { good: ['1', '64', 'auto'], bad: ['0', '65', '-1', '1.5', 'all', 'AUTO'] },
  HOST: { good: ['::', 'localhost', '10.0.0.1'], bad: ['a\nb', '\u0000'] },
  APP_URL: {
    good: ['http://localhost:8000', 'https://acme.test/id/', 'http://[::1]:8000'],
    bad: ['acme.test', '//acme.test', 'ftp://acme.test', 'https://', 'https://me:you@acme.test', 'https://a.test?x=1'],
  },
  APP_NAME: { good: ['Walnut & Co'], bad: ['two\nlines', 'bell\u0007'] },
  APP_LANGUAGE: { good: ['en', 'de'], bad: ['fr', 'DE', 'de-AT'] },
  APP_LOGO: { good: ['dash/src/app/icon.svg'], bad: ['none.svg', 'dash', 'package.json'] },
  APP_ACCENT: { good: ['#1c5b6a', '#FFD400'], bad: ['teal', '#fff', '1c5b6a', '#1c5b6a;'] },
  APP_TERMS_URL: { good: ['https://acme.test/terms?a=1'], bad: ['acme.test', 'javascript:alert(1)', 'ftp://a.test'] },
  APP_PRIVACY_URL: { good: ['https://acme.test/privacy'], bad: ['acme.test', 'data:,x', 'https://me:you@acme.test'] },
  APP_KEY: { good: ['k'.repeat(32), 'é'.repeat(16)], bad: ['k'.repeat(31), 'é'.repeat(15)] },
  DATA_DIR: { good: ['./data', '/var/lib/lintel'], bad: ['a\u0000b'] },
  SCHEMA_KEEP_DROPPED_DAYS: { good: ['0', '36500'], bad: ['-1', '36501', 'never'] },
  LOG_LEVEL: { good: ['trace', 'silent'], bad: ['verbose', 'INFO'] },
  ROLE: { good: ['serve', 'work', 'both'], bad: ['worker', 'WORK'] },
  JOB_KINDS: { good: ['mail.send', 'mail.*, files.scan,'], bad: ['*', 'mail.*.x', 'mail send', ','] },
  CORS_HEADERS: { good: ['x-tenant', 'X-Tenant, X-Trace,'], bad: ['x tenant', 'x-tenant:', '*é'] },
  RATE_LIMIT_ENABLED: BOOLEAN,
  CORS_ORIGINS: {
    good: ['https://app.acme.test', 'http://localhost:5173, https://acme.test:8443,'],
    bad: [
      '*',
      'null',
      'acme.test',
      'https://acme.test/',
      'https://acme.test/app',
      'https://*.acme.test',
      'HTTPS://ACME.TEST',
      'https://a@acme.test',
      'https://acme.test:443',
      'app://acme',
    ],
  },
  TRUST_PROXY: {
    good: ['0', '1', '10.0.0.0/8', '10.0.0.1, fd00::/8', '::1', 'azure', 'cloudflare', 'aws-alb'],
    bad: [
      'Azure',
      'azure,10.0.0.0/8',
      'aws',
      'true',
      'all',
      '10.0.0.0/33',
      '10/8',
      '1234',
      'fd00::/129',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
      'proxy.test',
    ],
  },
  DATABASE_URL: {
    good: ['postgres://a:b@localhost/c', 'postgresql://localhost:5432/c?sslmode=require', 'postgres:///c?host=/tmp'],
    bad: ['mysql://localhost/c', 'localhost/c', 'postgres', 'host=localhost dbname=c'],
  },
  BACKUP_DIR: { good: ['./backups', '/var/backups/lintel'], bad: ['a\nb', '\u0000'] },
  BACKUP_SCHEDULE: {
    good: ['03:00', '23:59', '10m', '6h', '31d'],
    bad: ['24:00', '3:00', '9m', '32d', 'daily', '0 3 * * *'],
  },
  EMBEDDED_STANDBY_DIR: { good: ['/mnt/other/standby'], bad: ['a\nb'] },
  BACKUP_KEEP_DAYS: { good: ['1', '3650'], bad: ['0', '3651', 'all'] },
  DATABASE_READ_URL: { good: ['postgres://a:b@localhost/c'], bad: ['mysql://localhost/c', 'localhost/c'] },
  CONTENT_MAX_DEPTH: { good: ['1', '10'], bad: ['0', '11', 'deep'] },
  CONTENT_MAX_RELATIONS: { good: ['1', '100'], bad: ['0', '101'] },
  CONTENT_MAX_CONDITIONS: { good: ['1', '1000'], bad: ['0', '1001'] },
  CONTENT_MAX_FILTER_BYTES: { good: ['1', '15000'], bad: ['0', '15001', '8KiB'] },
  CONTENT_MAX_IMPORT_BYTES: { good: ['1', '2147483647'], bad: ['0', '2147483648', '1MB'] },
  CONTENT_MAX_IMPORT_RECORDS: { good: ['1', '1000000'], bad: ['0', '1000001'] },
  CONTENT_MAX_IN_VALUES: { good: ['1', '5000'], bad: ['0', '5001'] },
  APP_KEY_PREVIOUS: {
    good: ['x'.repeat(32), `${'x'.repeat(32)}, ${'y'.repeat(40)}`, JSON.stringify(['a, b'.repeat(9), 'y'.repeat(40)])],
    bad: ['x'.repeat(31), `${'x'.repeat(32)},`, `${'x'.repeat(32)},short`, '["short"]', '[1]', '["x'],
  },
  IMPORT_MAX_BYTES: { good: ['1', '107374182400'], bad: ['0', '107374182401', '1GB'] },
  IMPORT_MAX_RECORDS: { good: ['1', '100000000'], bad: ['0', '100000001'] },
  FILES_MAX_SIZE: { good: ['1', '1099511627776'], bad: ['0', '1099511627777', '1 GB'] },
  FILES_QUOTA: { good: ['0', '5000000'], bad: ['-1', '1.5', 'all'] },
  FILES_SIZES: {
    good: ['thumb=320x320', 'a=1x, b=x4096,c-1=40x20:cover'],
    bad: [
      'thumb',
      'thumb=x',
      'thumb=0x5',
      'thumb=4097x1',
      'Thumb=1x1',
      'a=1x1,a=2x2',
      'a=1x1:fill',
      'a=1x1,',
      '__proto__=1x1',
    ],
  },
  FILES_GRACE_HOURS: { good: ['1', '8760'], bad: ['0', '8761', '1d'] },
  FILES_CLAMD: {
    good: ['localhost:3310', '10.0.0.1:3310', '[::1]:3310', '/run/clamav/clamd.ctl'],
    bad: ['localhost', 'localhost:0', 'localhost:65536', 'tcp://localhost:3310', 'run/clamd.ctl', ':3310'],
  },
  FILES_DISK: { good: ['local'], bad: ['S3', 'disk'] },
  S3_ENDPOINT: {
    good: ['https://s3.test', 'http://localhost:9000'],
    bad: ['s3.test', 'ftp://s3.test', 'https://a:b@s3.test'],
  },
  S3_PUBLIC_ENDPOINT: { good: ['https://files.test'], bad: ['files.test', 'https://a:b@files.test'] },
  S3_REGION: { good: ['us-east-1', 'auto'], bad: ['US', 'a/b', 'a b'] },
  S3_BUCKET: { good: ['files', 'my.files-1'], bad: ['a', 'Files', 'a/b', '-files'] },
  S3_ACCESS_KEY_ID: { good: ['AKIAIOSFODNN7EXAMPLE'], bad: ['a b', 'a\nb'] },
  S3_SECRET_ACCESS_KEY: { good: ['wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'], bad: ['a b', 'ä'] },
  S3_FORCE_PATH_STYLE: BOOLEAN,
  METRICS_PORT: { good: ['0', '9464'], bad: ['-1', '65536', 'x'] },
  METRICS_HOST: { good: ['0.0.0.0', '::1', 'metrics.test'], bad: ['http://metrics.test', 'a b', 'metrics.test:9464'] },
  AUDIT_KEEP_DAYS: { good: ['0', '1', '3650'], bad: ['-1', '3651', '1.5', 'x'] },
  CONTENT_MAX_SORT_KEYS: { good: ['1', '16'], bad: ['0', '17'] },
  CONTENT_MAX_PAGE_SIZE: { good: ['1', '1000'], bad: ['0', '1001', '-1'] },
  CONTENT_MAX_CHILDREN: { good: ['1', '1000'], bad: ['0', '1001'] },
  CONTENT_MAX_NESTED_RECORDS: { good: ['1', '2000'], bad: ['0', '2001'] },
  CONTENT_MAX_BULK_RECORDS: { good: ['1', '10000'], bad: ['0', '10001'] },
  CONTENT_MAX_BATCH_OPERATIONS: { good: ['1', '500'], bad: ['0', '501'] },
  DATABASE_SCHEMA: { good: ['public', 'lintel', 'app_2'], bad: ['pg_catalog', 'x'.repeat(64)] },
  DATABASE_POOL_SIZE: { good: ['2', '500'], bad: ['1', '501', 'ten'] },
  MAIL_URL: {
    good: ['smtp://mail.test', 'smtps://a:b@mail.test:465'],
    bad: ['mail.test', 'https://mail.test', 'smtp'],
  },
  MAIL_FROM: {
    good: ['a@acme.test', 'Acme <a@acme.test>', '"Acme, Inc." <a@acme.test>', 'no-reply@localhost'],
    bad: [
      'acme',
      'a@b@c',
      'A <a@acme.test>, B <b@acme.test>',
      'A\n <a@acme.test>',
      '<>',
      'a@acme.test\r\nBcc: x@y.test',
    ],
  },
  AUTH_ENABLE_REFRESH_TOKEN: BOOLEAN,
  AUTH_TOKEN_ALG: { good: ['HS256', 'EdDSA'], bad: ['none', 'RS256', 'eddsa', 'HS512', 'HS256,EdDSA'] },
  AUTH_REFRESH_TOKEN_LIFETIME: SECONDS,
  AUTH_ACCESS_TOKEN_LIFETIME: SECONDS,
  AUTH_OTP_ENABLED: BOOLEAN,
  AUTH_OTP_LENGTH: { good: ['4', '12'], bad: ['3', '13', 'six'] },
  AUTH_OTP_EXPIRATION: { good: ['1', '86400'], bad: ['0', '86401'] },
  AUTH_MFA_REMEMBER_DAYS: { good: ['0', '30', '365'], bad: ['-1', '366', '1.5', '30d'] },
  AUTH_MFA_RESET_DELAY: { good: ['0', '86400', '604800'], bad: ['-1', '604801', '1.5', '24h'] },
  AUTH_RECOVERY_DELAY: { good: ['0', '86400', '604800'], bad: ['-1', '604801', '1.5', '24h'] },
  AUTH_RECOVERY_WINDOW: { good: ['0', '604800'], bad: ['-1', '1.5', '7d'] },
  AUTH_OTP_MAX_ATTEMPTS: { good: ['1', '20'], bad: ['0', '21'] },
  AUTH_REG_ALLOWED_DOMAINS: DOMAINS,
  AUTH_REG_BLOCKED_DOMAINS: DOMAINS,
  AUTH_REG_RESERVED_USERNAMES: { good: ['admin, root', 'Ädmin'], bad: ['a\u0000b'] },
  AUTH_CLI_LOGIN_ENABLED: BOOLEAN,
  GEOIP_FILE: { good: [PLACES], bad: ['none.mmdb', 'dash', 'package.json'] },
  AUTH_CLI_ALLOWED_REDIRECT_HOSTS: {
    good: ['app.acme.test', 'App.test,::1'],
    bad: ['https://app.test', 'app.test:443', '*.app.test', 'app.test/', 'user@app.test', 'app.test.'],
  },
  AUTH_CLI_ALLOWED_REDIRECT_URIS: {
    good: ['https://app.test/signed-in', 'http://localhost:5173/, https://app.test:8443/x?y=1'],
    bad: ['app.test', 'http://app.test/', 'https://App.test/', 'https://*.app.test/', 'https://app.test/#x', 'x:/y'],
  },
  AUTH_DISABLE_LOCAL_LOGIN: { good: ['false', '0'], bad: BOOLEAN.bad },
  AUTH_ADMIN_EMAILS: {
    good: ['a@acme.test', 'A@acme.test, b@bücher.example'],
    bad: ['acme.test', 'a@acme.test b@acme.test', 'a@localhost', 'a@acme.test.'],
  },
};

const rows = Object.entries(ROWS);
const declared = applicationVariables().flatMap(({ variables }) => Object.entries(variables));
const secrets = declared.filter(([, { secret }]) => secret === true).map(([name]) => name);

function faultsOf(name: string, text: string): readonly string[] {
  try {
    parseConfig({ [name]: text });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('variables', () => {
  it('are these, of all features', () =>
    expect(declared.map(([name]) => name).sort()).toEqual([...Object.keys(ROWS), 'AUTH'].sort()));

  it.each(rows.flatMap(([name, { good }]) => good.map((text) => [name, text] as const)))(
    '%s accepts %j',
    (name, text) => expect(faultsOf(name, text)).toEqual([]),
  );

  it.each(rows.flatMap(([name, { bad }]) => bad.map((text) => [name, text] as const)))(
    '%s rejects %j in one sentence that names it',
    (name, text) => {
      expect(faultsOf(name, text)).toHaveLength(1);
      expect(faultsOf(name, text)[0]).toMatch(new RegExp(`^${name} must [a-z].+[^.]$`, 's'));
    },
  );

  it('have a flag for secrets', () =>
    expect(secrets).toEqual([
      'APP_KEY',
      'APP_KEY_PREVIOUS',
      'DATABASE_URL',
      'DATABASE_READ_URL',
      'MAIL_URL',
      'AUTH',
      'S3_SECRET_ACCESS_KEY',
    ]));

  it.each(secrets)('do not show the value of %s in an error', (name) => {
    const letters = fc.string({ minLength: 6, unit: fc.constantFrom(...'qwxyzQWXYZ@:/?#[]{}",%') });
    fc.assert(
      fc.property(letters, (text) => {
        for (const fault of faultsOf(name, text)) expect(fault).not.toContain(text);
      }),
    );
  });
});
