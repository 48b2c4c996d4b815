import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProduct, type Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';

jest.setTimeout(180_000);

/** The page runs an installed package. Here the built product is used. */
const NPX = `npx() { shift; node '${builtProduct()}/cli.js' "$@"; }`;

/** Uses both modules of the page: signs in, calls with an expired token, and signs out. */
const PROGRAM = `import { formatMoney } from './money.mjs';
import { call, signIn, signOut } from './session.mjs';
const refusal = (work) => work.then(() => null, ({ status, code }) => ({ status, code }));
const real = globalThis.fetch;
let refreshes = 0;
let expired = true;
globalThis.fetch = (url, options) => {
  if (url.endsWith('/token/refresh')) refreshes += 1;
  if (!url.endsWith('/auth/me') || !expired) return real(url, options);
  return real(url, { ...options, headers: { ...options.headers, authorization: 'Bearer expired' } });
};
const wrong = await refusal(signIn('ann@example.com', 'wrong walnut 48'));
await signIn('ann@example.com', 'sturdy walnut 47');
const both = [call('/auth/me'), call('/auth/me')];
expired = false;
const users = await Promise.all(both);
const { data } = await call('/content/invoices?sort=number');
const request = { method: 'POST', body: { number: 'A-3', amount_cents: 'ten' } };
const invalid = await call('/content/invoices', request).then(() => null, ({ code, errors }) => [code, errors[0].field]);
const form = { current_password: 'wrong walnut 48', password: 'gentle cedar 31', password_confirmation: 'gentle cedar 31' };
const password = await refusal(call('/auth/local/password', { method: 'POST', body: form }));
const counted = refreshes;
await call('/auth/logout', { method: 'POST' });
const ended = [await refusal(call('/auth/me')), await refusal(call('/auth/me'))].map((one) => one.code);
await signIn('ann@example.com', 'sturdy walnut 47');
await call('/auth/logout', { method: 'POST' });
await signOut();
console.log(JSON.stringify({
  wrong,
  users: users.map(({ email }) => email),
  refreshes: counted,
  invalid,
  password: password.code,
  ended,
  shown: data.items.map(({ amount_cents, currency }) => formatMoney(amount_cents, currency)),
  other: [formatMoney(1999, 'JPY', 'en'), formatMoney('9007199254740993', 'EUR'), formatMoney(1999, 'EUR', 'de').replaceAll('\\u00a0', ' ')],
  after: await refusal(call('/auth/me')),
}));
`;

describe('the first app with decimal amounts and sign-in from another origin', () => {
  const place = useServiceHome();
  const page = readPage('start/first-app.md', 'guides/data/money.md', 'guides/sign-in/cross-origin.md');
  const [part, restarted, ...others] = pageParts(page);
  let service: Service;
  const run = async (blocks: readonly string[]): Promise<void> => {
    const JSON = 'content-type: application/json';
    const variables = { ...place.home.env, BASE: service.url, JSON } as Record<string, string>;
    const [, ...ran] = await runBlocks([NPX, ...blocks], variables, place.home.directory);
    for (const { block, printed, expected } of ran) {
      const wrong = expected.filter((line, at) => !isAsShown(printed[at] ?? '', line));
      expect({ block, printed, wrong }).toEqual({ block, printed, wrong: [] });
      expect([block, printed.length]).toEqual([block, expected.length]);
    }
  };

  it('every command works and returns what the page shows', async () => {
    expect(others).toEqual([]);
    expect(part!.env).toEqual({});
    service = await place.home.start();
    await run(part!.blocks);
    await service.stop();
    service = await place.home.start({ env: restarted!.env });
    await run(restarted!.blocks);
  });

  it('its modules sign in, renew once, call, format amounts and sign out', () => {
    for (const [, name = '', text = ''] of page.matchAll(/^```js\n\/\/ (\w+)\.js\n(.*?)^```$/gms))
      writeFileSync(join(place.home.directory, `${name}.mjs`), text.replaceAll('http://localhost:8000', service.url));
    const program = join(place.home.directory, 'program.mjs');
    writeFileSync(program, PROGRAM);
    const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 60_000 });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      wrong: { status: 401, code: 'invalid_credentials' },
      users: ['ann@example.com', 'ann@example.com'],
      refreshes: 1,
      invalid: ['field_invalid', 'amount_cents'],
      password: 'invalid_credentials',
      ended: ['token_invalid', 'token_missing'],
      shown: ['€19.99', '€0.10'],
      other: ['¥1,999', '€90,071,992,547,409.93', '19,99 €'],
      after: { status: 401, code: 'token_missing' },
    });
  });
});
