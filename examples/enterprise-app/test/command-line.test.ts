import { createApp } from 'lintel';
import { testApp } from 'lintel/testing';
import { definition } from '../src/definition.js';
import { restock } from '../src/stock/restock.command.js';
import { type Acme, startAcme } from './support/acme.js';

let acme: Acme;
beforeAll(async () => {
  acme = await startAcme();
});
afterAll(() => acme?.stop());

/** Runs the command on the application of the test, and returns what it prints. */
async function run(...args: string[]): Promise<string> {
  const printed: string[] = [];
  const print = (_value: unknown, text: string): void => void printed.push(text);
  await restock.run({ app: acme.app.nest, arguments: args, options: {}, print });
  return printed.join('\n');
}

describe('own commands', () => {
  it('work with the application', async () => {
    expect(await run('tea-red', '5')).toBe('5 pieces of tea-red are in stock.');
    expect(await run('tea-red', '7')).toBe('12 pieces of tea-red are in stock.');
  });

  it('refuse with a sentence', () => expect(run('tea-red', 'many')).rejects.toThrow('many is no number of pieces.'));
});

describe('own variables', () => {
  it('are told of with those of Lintel, all at once', async () => {
    const env = { ACME_CURRENCY: 'shells', ACME_LARGEST_ORDER: '0', RATE_LIMIT_ENABLED: 'perhaps' };
    const start = testApp(definition, { env });
    await expect(start).rejects.toThrow(/RATE_LIMIT_ENABLED .*\n.*ACME_CURRENCY .*\n.*ACME_LARGEST_ORDER /s);
  });

  it('end the start of a server, too', async () => {
    const start = createApp(definition, { NODE_ENV: 'test', ACME_CURRENCY: 'shells' });
    await expect(start).rejects.toThrow(/ACME_CURRENCY/);
  });
});
