import { applicationVariables } from '../../app.module.js';
import { unknownVariables } from './load-config.js';

const declared = applicationVariables();
const NAMES = declared.flatMap(({ variables }) => Object.keys(variables));
const warnings = (...names: string[]): readonly string[] =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, 'sesame'])), declared);

describe('unknown variables', () => {
  it('suggests the variable for a near match of every variable', () => {
    for (const name of NAMES) {
      const middle = Math.floor(name.length / 2);
      const misspelt = [
        name.slice(0, middle) + name.slice(middle + 1),
        `${name.slice(0, middle)}X${name.slice(middle)}`,
        `${name.slice(0, -1)}X`,
      ].filter((one) => !NAMES.includes(one) && !one.endsWith('_') && one.length > 3);
      for (const one of misspelt)
        expect(warnings(one)).toEqual([expect.stringMatching(`^Unknown variable ${one}\\. Did`)]);
    }
    expect(warnings('LOG_LEVL')).toEqual(['Unknown variable LOG_LEVL. Did you mean LOG_LEVEL?']);
    expect(warnings('DATABSE_SCHEMA')).toEqual(['Unknown variable DATABSE_SCHEMA. Did you mean DATABASE_SCHEMA?']);
    expect(warnings('WROKERS')).toEqual(['Unknown variable WROKERS. Did you mean WORKERS?']);
  });

  it('names an unknown variable under a prefix of the application', () => {
    expect(warnings('AUTH_OTP_COLOUR_OF_THE_MAIL')).toEqual(['Unknown variable AUTH_OTP_COLOUR_OF_THE_MAIL.']);
  });

  it('reports no known, empty or foreign variables', () => {
    expect(warnings(...NAMES)).toEqual([]);
    expect(unknownVariables({ LOG_LEVL: '', PORTT: undefined }, declared)).toEqual([]);
    const foreign =
      'PATH HOME LANG USER SHELL PWD TERM HOSTNAME PGHOST PGPORT PGPASSWORD NODE_OPTIONS NODE_PATH NPM_TOKEN CI DEBUG TZ EDITOR TMPDIR LOGNAME MAIL SHLVL OLDPWD LESSOPEN XDG_DATA_DIRS XDG_RUNTIME_DIR AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY APP_ENV APP_DEBUG REDIS_URL DATABASE_HOST DATABASE_PORT DB_HOST JWT_SECRET AUTH_SECRET SMTP_URL KUBERNETES_SERVICE_HOST LINTEL_PORT_8000_TCP npm_config_cache OTEL_EXPORTER_OTLP_ENDPOINT SENTRY_DSN VITE_APP_URL NEXT_PUBLIC_URL SSH_AUTH_SOCK MAILTO';
    expect(warnings(...foreign.split(' '))).toEqual([]);
  });
});
