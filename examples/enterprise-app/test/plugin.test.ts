import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** A separate program, because this Jest does not import ES modules such as plugins. At its end it prints what keeps it running. */
const PROGRAM = `
  import { Content, UsersService } from 'lintel';
  import { testApp } from 'lintel/testing';
  const [dataDir, schemas] = process.argv.slice(1);
  const kept = () => process.getActiveResourcesInfo().filter((name) => !/^(TTY|Pipe|FSReq)/.test(name));
  const roles = [{ role: 'user', allow: ['content.product.create', 'content.product.get'] }];
  const app = await testApp({ schemas: [new URL(schemas)], roles }, { env: { DATA_DIR: dataDir } });
  const password = 'sturdy walnut 47';
  const signUp = async (email) => {
    const json = { email, password, password_confirmation: password };
    const answer = await app.fetch('/api/auth/local/register', { json });
    const user = await app.get(UsersService).findByEmail(email);
    return { status: answer.status, body: await answer.json(), username: user?.username };
  };
  const seller = await app.account();
  const offer = async (sku, name, price_cents) => {
    const json = { sku, name, price_cents };
    const answer = await app.fetch('/api/content/product', { json, token: seller.token });
    const { data } = await answer.json();
    return [answer.status, data.error ?? data.name];
  };
  const signUps = [await signUp('more@samples.example'), await signUp('ann@example.com')];
  const offers = [
    await offer('tea-green', ' Green tea ', 400),
    await offer('tea-gift', 'Tea for nobody', 0),
    await offer('tea-grey', 'GREEN TEA', 300),
  ];
  const fromCode = await app.get(Content).as('system').schema('product').create({ sku: 'tea-x', name: 'X', price_cents: 0 })
    .catch((error) => error.code);
  const { total } = await app.get(Content).as('system').schema('product').list();
  await app.close();
  for (let tries = 0; kept().length > 0 && tries < 40; tries += 1) await new Promise((next) => setTimeout(next, 50));
  console.log(JSON.stringify({ signUps, offers, fromCode, total, left: kept() }));`;

let directory: string;
let report: Record<'signUps' | 'offers' | 'fromCode' | 'total' | 'left', unknown>;
let lines: string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'acme-plugin-'));
  const [dataDir, schemas] = [join(directory, 'data'), join(directory, 'schemas')];
  cpSync('plugins', join(dataDir, 'plugins'), { recursive: true });
  mkdirSync(schemas);
  cpSync('schemas/product.json', join(schemas, 'product.json'));
  const program = ['--input-type=module', '-e', PROGRAM, dataDir, `${pathToFileURL(schemas).href}/`];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  lines = stdout.trim().split('\n');
  report = JSON.parse(lines.at(-1)!) as typeof report;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a plugin', () => {
  it('is called at each registration, and may reject or complete it', () => {
    expect(report.signUps).toEqual([
      expect.objectContaining({
        status: 400,
        body: expect.objectContaining({
          message: 'No more samples, please order some tea.',
          data: { error: 'registration_rejected' },
        }),
      }),
      expect.objectContaining({ status: 201, username: 'taster-ann' }),
    ]);
  });

  it('handles writes before, after and when they are committed, with its own errors', () => {
    expect(report.offers).toEqual([
      [201, 'Green tea'],
      [422, 'acme_given_away'],
      [409, 'acme_name_taken'],
    ]);
    expect([report.fromCode, report.total]).toEqual(['acme_given_away', 1]);
    expect(lines.filter((line) => line.startsWith('price of'))).toEqual(['price of tea-green: 400']);
  });

  it('leaves nothing after the application closes', () => expect(report.left).toEqual([]));
});
