import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import type { Config } from './config/config.types.js';

const ROOT_EXISTS = `SELECT EXISTS (SELECT 1 FROM user_roles ur JOIN roles r ON r.id = ur.role_id JOIN users u ON u.id = ur.user_id
  WHERE r.root AND u.activated) AS found`;

/** What the terminal shows once the service answers: where it is, what is in force, and how to make the first administrator. */
export async function startBanner(app: NestFastifyApplication, config: Config): Promise<string> {
  const [row] = await app.get(DataSource).query<{ found: boolean }[]>(ROOT_EXISTS);
  const { auth } = config;
  const address = await app.getUrl();
  const lines = [
    `${config.appName} is ready at ${address} (public address ${config.appUrl})`,
    `  database    ${config.databaseUrl === undefined ? `embedded PostgreSQL in ${config.dataDir}` : 'PostgreSQL of DATABASE_URL'}`,
    `  activation  ${auth.local.activationMethod}`,
    `  sign-in     ${signInMethods(config).join(', ')}`,
  ];
  if (row?.found !== true) lines.push(...firstAdministrator(config));
  return `\n${lines.join('\n')}\n\n`;
}

function signInMethods({ auth }: Config): string[] {
  const local = auth.localLoginDisabled ? [] : ['password', ...(auth.otp.enabled ? ['one-time code'] : [])];
  return [...local, ...auth.providers.map(({ name }) => name)];
}

function firstAdministrator({ auth }: Config): string[] {
  if (auth.localLoginDisabled)
    return [
      '',
      '  There is no administrator yet: the first federated login of an address in AUTH_ADMIN_EMAILS becomes one.',
    ];
  return ['', '  There is no administrator yet. Make one:', '    npm run cli -- admin:create --email you@example.com'];
}
