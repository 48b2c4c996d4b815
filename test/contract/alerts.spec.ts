import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';

const RULES = join(__dirname, '../../docker/prometheus/alerts.yaml');
/** Part of the Debian package `prometheus`. */
const PROMTOOL = process.env['PROMTOOL'] ?? 'promtool';
const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0;
const described = hasPromtool ? describe : describe.skip;

interface Rule {
  readonly alert: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface AlertCase {
  /** Series that raise the alert, one value per minute. */
  readonly raised: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
  /** Labels of the alert in addition to those of its rule. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly atMinutes: number;
}

const INSTANCE = { instance: 'a', job: 'lintel' };
const of = (name: string, labels = ''): string => `${name}{instance="a",job="lintel"${labels}}`;
const errors = (status: string): string => of('lintel_http_server_errors_total', `,status="${status}"`);
const requests = (status: string): string => of('lintel_http_requests_total', `,route="/x",status="${status}"`);
const bucket = (le: string): string => of('lintel_http_request_duration_seconds_bucket', `,route="/x",le="${le}"`);
const mails = (outcome: string): string => of('lintel_mails_total', `,template="welcome",outcome="${outcome}"`);
const attempts = (outcome: string): string => of('lintel_job_attempts_total', `,kind="acme.x",outcome="${outcome}"`);
const busy = of('lintel_database_connections', ',state="busy"');

/** Counters start at 0, as in `/metrics`: the first event must raise the alert. */
const CASES: Readonly<Record<string, AlertCase>> = {
  LintelDown: { raised: { [of('up')]: '0x10' }, quiet: { [of('up')]: '1x10' }, labels: INSTANCE, atMinutes: 5 },
  LintelDatabaseAway: {
    raised: { [of('lintel_database_up')]: '1 0x10' },
    quiet: { [of('lintel_database_up')]: '1x10' },
    labels: INSTANCE,
    atMinutes: 5,
  },
  LintelDatabaseRestarted: {
    raised: { [of('lintel_database_start_time_seconds')]: '100x5 200x10' },
    quiet: { [of('lintel_database_start_time_seconds')]: '100x20' },
    labels: INSTANCE,
    atMinutes: 10,
  },
  LintelFaults: {
    raised: { [errors('500')]: '0 0 1+1x20' },
    quiet: { [errors('500')]: '0x20', [errors('503')]: '0+1x20' },
    labels: { instance: 'a' },
    atMinutes: 12,
  },
  LintelUnavailable: {
    raised: { [requests('200')]: '0+60x20', [requests('503')]: '0+6x20' },
    quiet: { [requests('200')]: '0+60x20', [requests('503')]: '0+1x20' },
    labels: { instance: 'a' },
    atMinutes: 15,
  },
  LintelSlow: {
    raised: { [bucket('1')]: '0+90x30', [bucket('2.5')]: '0+100x30', [bucket('+Inf')]: '0+100x30' },
    quiet: { [bucket('1')]: '0+99x30', [bucket('2.5')]: '0+100x30', [bucket('+Inf')]: '0+100x30' },
    labels: { instance: 'a' },
    atMinutes: 25,
  },
  LintelEventLoopLags: {
    raised: { [of('nodejs_eventloop_lag_p99_seconds')]: '0.3x20' },
    quiet: { [of('nodejs_eventloop_lag_p99_seconds')]: '0.1x20' },
    labels: INSTANCE,
    atMinutes: 15,
  },
  LintelConnectionsExhausted: {
    raised: {
      [of('lintel_database_waiting')]: '3x10',
      [busy]: '10x10',
      [of('lintel_database_connections_max')]: '10x10',
    },
    quiet: {
      [of('lintel_database_waiting')]: '3x10',
      [busy]: '9x10',
      [of('lintel_database_connections_max')]: '10x10',
    },
    labels: INSTANCE,
    atMinutes: 8,
  },
  LintelChangeFeedStale: {
    raised: { [of('lintel_change_feed_age_seconds')]: '9x10' },
    quiet: { [of('lintel_change_feed_age_seconds')]: '0.4x10' },
    labels: INSTANCE,
    atMinutes: 5,
  },
  LintelSchemasDiffer: {
    raised: { [of('lintel_schema_version')]: '4x10', 'lintel_schema_version{instance="b"}': '5x10' },
    quiet: { [of('lintel_schema_version')]: '5x10', 'lintel_schema_version{instance="b"}': '5x10' },
    atMinutes: 5,
  },
  LintelJobsLate: {
    raised: { [of('lintel_jobs_late_seconds', ',kind="acme.x"')]: '400x10' },
    quiet: { [of('lintel_jobs_late_seconds', ',kind="acme.x"')]: '2x10' },
    labels: { kind: 'acme.x' },
    atMinutes: 8,
  },
  LintelJobsGivenUp: {
    raised: { [attempts('given_up')]: '0 0 1x10' },
    quiet: { [attempts('given_up')]: '0x10', [attempts('done')]: '0+1x10', [attempts('retried')]: '0+1x10' },
    labels: { kind: 'acme.x' },
    atMinutes: 5,
  },
  LintelMailsFail: {
    raised: { [mails('given_up')]: '0 0 1x10' },
    quiet: { [mails('given_up')]: '0x10', [mails('sent')]: '0+1x10', [mails('retried')]: '0+1x10' },
    labels: { outcome: 'given_up' },
    atMinutes: 5,
  },
  LintelAuditNotSealed: {
    raised: { [of('lintel_audit_unsealed')]: '2000+10x40' },
    quiet: { [of('lintel_audit_unsealed')]: '20x40' },
    atMinutes: 30,
  },
  LintelPasswordHashesRefused: {
    raised: { [of('lintel_password_hashes_refused_total')]: '0 0 1+1x20' },
    quiet: { [of('lintel_password_hashes_refused_total')]: '0x20' },
    labels: { instance: 'a' },
    atMinutes: 12,
  },
  LintelGuessing: {
    raised: { [of('lintel_rate_limited_total', ',limit="login"')]: '0+100x30' },
    quiet: { [of('lintel_rate_limited_total', ',limit="login"')]: '0+10x30' },
    labels: { limit: 'login' },
    atMinutes: 20,
  },
  LintelBackupOld: {
    raised: { [of('lintel_backup_scheduled')]: '1x2400', [of('lintel_backup_time_seconds')]: '0x2400' },
    quiet: { [of('lintel_backup_scheduled')]: '1x2400', [of('lintel_backup_time_seconds')]: '0+60x2400' },
    labels: INSTANCE,
    atMinutes: 2_200,
  },
  LintelBackupArchive: {
    raised: { [of('lintel_backup_archive_failing')]: '1x10' },
    quiet: { [of('lintel_backup_archive_failing')]: '0x10' },
    labels: INSTANCE,
    atMinutes: 8,
  },
  LintelStandbyAway: {
    raised: { [of('lintel_standby_streaming')]: '1x5 0x30' },
    quiet: { [of('lintel_standby_streaming')]: '0x35' },
    labels: { job: 'lintel' },
    atMinutes: 25,
  },
};

const { groups } = load(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

it('lists the series that raise each alert', () => {
  expect(rules.map(({ alert }) => alert)).toEqual(Object.keys(CASES));
});

it('are listed in docs/guides/operating/metrics.md with severity and delay', () => {
  const page = readFileSync(join(__dirname, '../../docs/guides/operating/metrics.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(Lintel\w+)` +\| (\w+) +\| ([^|]+?) +\|/gm)].map(([, ...cells]) => cells);
  const delay = (text?: string): string => text?.replace(/m$/, ' min') ?? 'immediately';
  expect(rows).toEqual(rules.map((rule) => [rule.alert, rule.labels['severity'], delay(rule.for)]));
});

described(`the alert rules, by promtool${hasPromtool ? '' : ' (not installed: Debian package prometheus)'}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lintel-alerts-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are valid', () => {
    expect(execFileSync(PROMTOOL, ['check', 'rules', RULES], { encoding: 'utf8' })).toContain('SUCCESS');
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s is raised by its first event, and not without',
    (name, rule) => {
      const { raised, quiet, labels = {}, atMinutes } = CASES[name]!;
      const all: Record<string, string> = { ...rule.labels, ...labels };
      const filled = (text: string): string =>
        text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => all[label]!);
      const texts = Object.entries(rule.annotations).map(([key, text]) => [key, filled(text)] as const);
      const alerts = [{ exp_labels: all, exp_annotations: Object.fromEntries(texts) }];
      const test = (series: Readonly<Record<string, string>>, expected: readonly object[]) => ({
        interval: '1m',
        input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
        alert_rule_test: [{ eval_time: `${atMinutes}m`, alertname: name, exp_alerts: expected }],
      });
      const file = join(folder, `${name}.yaml`);
      const tests = [test(raised, alerts), test(quiet, [])];
      writeFileSync(file, dump({ rule_files: [RULES], evaluation_interval: '1m', tests }));
      const { status, stdout, stderr } = spawnSync(PROMTOOL, ['test', 'rules', file], { encoding: 'utf8' });
      expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
    },
  );
});
