import { type TestAccount, testApp, type TestApp, type TestAppOptions } from 'lintel/testing';
import { definition } from '../../src/definition.js';
import { MailService } from './mail-service.js';

/** Acme's application and its mail service. */
export interface Acme {
  readonly app: TestApp;
  readonly mails: MailService;
  stop(): Promise<void>;
}

/** Starts the application of `src/main.ts`. */
export async function startAcme({ env, ...options }: TestAppOptions = {}): Promise<Acme> {
  const mails = await MailService.start();
  const settings = { ACME_MAIL_URL: mails.url, ACME_MAIL_KEY: 'sesame-open', ...env };
  const app = await testApp(definition, { ...options, env: settings });
  return {
    app,
    mails,
    async stop() {
      await app.close();
      await mails.stop();
    },
  };
}

/** Parts of a response to compare. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Requests a path and reads the response. */
export async function ask(
  { app }: Acme,
  account: TestAccount | null,
  path: string,
  json?: unknown,
  method?: string,
): Promise<Answer> {
  const response = await app.fetch(path, {
    ...(account !== null && { token: account.token }),
    ...(json !== undefined && { json }),
    ...(method !== undefined && { method }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}
