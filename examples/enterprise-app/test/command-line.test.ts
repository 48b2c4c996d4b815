import { createApp } from 'lintel';
import { testApp } from 'lintel/testing';
import { definition } from '../src/definition.js';
import { addCustomer } from '../src/customers/add-customer.command.js';
import { restock } from '../src/stock/restock.command.js';
import { type Acme, ask, startAcme } from './support/acme.js';

let acme: Acme;
beforeAll(async () => {
  acme = await startAcme();
});
afterAll(() => acme?.stop());

/** Runs the command on the application of the test, and returns its output. */
async function run(args: string[], command = restock): Promise<string> {
  const printed: string[] = [];
  const print = (_value: unknown, text: string): void => void printed.push(text);
  await command.run({ app: acme.app.nest, arguments: args, options: {}, print });
  return printed.join('\n');
}

describe('own commands', () => {
  it('work with the application', async () => {
    expect(await run(['tea-red', '5'])).toBe('5 pieces of tea-red are in stock.');
    expect(await run(['tea-red', '7'])).toBe('12 pieces of tea-red are in stock.');
  });

  it('fail with one message', () => expect(run(['tea-red', 'many'])).rejects.toThrow('many is no number of pieces.'));
});

describe('accounts from code', () => {
  it('are created with their data, and sign in', async () => {
    const email = 'tea@example.com';
    const password = 'sturdy walnut 47';
    expect(await run([email, 'Tea & Co', password], addCustomer)).toBe(`${email} is a customer of Tea & Co.`);
    await expect(run([email, 'Pots & Co', password], addCustomer)).rejects.toMatchObject({ word: 'email_taken' });
    const { status, body } = await ask(acme, null, '/api/auth/local/login', { login: email, password });
    expect(status).toBe(200);
    const customer = { token: (body as { token: string }).token };
    const company = await acme.app.fetch('/api/acme/company', customer);
    expect(await company.json()).toEqual({ company: 'Tea & Co' });
  });
});

describe('own variables', () => {
  it('are validated together with those of Lintel', async () => {
    const env = { ACME_CURRENCY: 'shells', ACME_LARGEST_ORDER: '0', RATE_LIMIT_ENABLED: 'perhaps' };
    const start = testApp(definition, { env });
    await expect(start).rejects.toThrow(/RATE_LIMIT_ENABLED .*\n.*ACME_CURRENCY .*\n.*ACME_LARGEST_ORDER /s);
  });

  it('stop the start of a server, too', async () => {
    const start = createApp(definition, { NODE_ENV: 'test', ACME_CURRENCY: 'shells' });
    await expect(start).rejects.toThrow(/ACME_CURRENCY/);
  });
});
