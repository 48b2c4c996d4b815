import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../platform/config/config.types.js';
import { SetupService } from '../edge/setup/setup.service.js';

/** @param isCustom whether the application has a definition. The name of its command line is then unknown. */
export async function startupBanner(app: NestFastifyApplication, config: Config, isCustom = false): Promise<string> {
  if (config.jobs.role === 'work') return workerBanner(config);
  const { auth } = config;
  const address = await app.getUrl();
  // With a free port (PORT=0) the public address is known only now, unless APP_URL sets it.
  const publicUrl = new URL(config.appUrl).port === '0' ? address : config.appUrl;
  const lines = [
    `${config.appName} is ready at ${address} (public address ${publicUrl})`,
    databaseLine(config),
    `  activation  ${auth.local.activationMethod}`,
    `  sign-in     ${signInMethods(config).join(', ')}`,
  ];
  if (config.jobs.role === 'serve') lines.push('  jobs        none in this process (ROLE=serve)');
  if (config.workers > 1) lines.push(`  workers     ${config.workers} processes; the others start next`);
  lines.push(...(await firstAdministrator(publicUrl, app.get(SetupService), isCustom)));
  return `\n${lines.join('\n')}\n\n`;
}

function workerBanner(config: Config): string {
  const { kinds } = config.jobs;
  const lines = [
    `${config.appName} runs background jobs and serves no requests (ROLE=work)`,
    databaseLine(config),
    `  jobs        ${kinds === null ? 'all kinds' : kinds.join(', ')}`,
  ];
  if (config.workers > 1) lines.push(`  workers     ${config.workers} processes; the others start next`);
  return `\n${lines.join('\n')}\n\n`;
}

function databaseLine({ databaseUrl, dataDir }: Config): string {
  return `  database    ${databaseUrl === undefined ? `embedded PostgreSQL in ${dataDir}` : 'PostgreSQL of DATABASE_URL'}`;
}

function signInMethods({ auth }: Config): string[] {
  const local = auth.localLoginDisabled ? [] : ['password', ...(auth.otp.enabled ? ['one-time code'] : [])];
  return [...local, ...auth.providers.map(({ name }) => name)];
}

async function firstAdministrator(publicUrl: string, setup: SetupService, isCustom: boolean): Promise<string[]> {
  const token = await setup.issueToken();
  if (await setup.hasAdministrator()) return [];
  const advice =
    token === null
      ? ['  No administrator exists yet. The first federated sign-in with an address in AUTH_ADMIN_EMAILS creates one.']
      : [
          '  No administrator exists yet. Create one in the browser:',
          `    ${publicUrl}/dash/setup#token=${token}`,
          isCustom ? '  or with the command line of the application:' : '  or with this command:',
          `    ${isCustom ? '' : 'npm run cli -- '}admin:create --email you@example.com`,
        ];
  return ['', ...advice];
}
