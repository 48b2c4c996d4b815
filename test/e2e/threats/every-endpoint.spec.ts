import fc from 'fast-check';
import { makeMagazine } from '../../support/content-fixture.js';
import { DocumentInHand, type DocumentedOperation } from '../../support/openapi-document.js';
import { signedIn } from '../../support/people.js';
import { Samples } from '../../support/samples.js';
import { useTestApp } from '../../support/test-app.js';

type Json = Record<string, unknown>;

/** Number of requests for each operation and caller. */
const EACH = Number(process.env['ATTACKS_EACH'] ?? 2);

jest.setTimeout(60_000 + EACH * 30_000);

/** Values that no field expects, or that some fields expect and others do not. */
const HOSTILE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\u0000',
  '\ud800',
  "'; DROP TABLE users; --",
  '../../etc/passwd',
  '%00%ff',
  '{{constructor}}',
  '$where',
  '=cmd|calc',
  'x'.repeat(5_000),
  '𝒳é\u202e\u200b',
  '2026-02-30T25:61:61Z',
  '00000000-0000-0000-0000-000000000000',
  'not-a-uuid',
  [],
  [[]],
  {},
  { $ne: null },
  { __proto__x: 1, constructor: { prototype: {} } },
  Array.from({ length: 300 }, () => 'x'),
  nested(40),
];

/** Names of built-in members and of operators. */
const NAMES = ['__proto__', 'constructor', 'toString', 'id', '$or', '', 'a'.repeat(300), 'roles', 'password'];

function nested(depth: number): unknown {
  return depth === 0 ? 'deep' : { and: [nested(depth - 1)] };
}

/** Replaces one place of a value with a hostile value, or adds one. */
function spoil(value: unknown, steps: readonly number[], hostile: unknown, name: string): unknown {
  const [step = 0, ...rest] = steps;
  if (typeof value !== 'object' || value === null || steps.length === 0) return hostile;
  if (Array.isArray(value)) return [...value.slice(0, -1), spoil(value.at(-1), rest, hostile, name)];
  const keys = Object.keys(value);
  const key = step % 4 === 3 || keys.length === 0 ? name : keys[step % keys.length]!;
  const changed = Object.entries(value).filter(([other]) => other !== key);
  // `__proto__` must be an own property, as in parsed JSON.
  const text = [...changed, [key, spoil((value as Json)[key], rest, hostile, name)] as const].map(
    ([one, content]) => `${JSON.stringify(one)}:${JSON.stringify(content ?? null)}`,
  );
  return JSON.parse(`{${text.join(',')}}`) as unknown;
}

const attack = fc.record({
  steps: fc.array(fc.nat(20), { maxLength: 4 }),
  hostile: fc.constantFrom(...HOSTILE),
  name: fc.constantFrom(...NAMES),
  path: fc.option(fc.constantFrom(...HOSTILE.filter((value) => typeof value === 'string')), { nil: null }),
  query: fc.option(fc.tuple(fc.nat(20), fc.constantFrom(...HOSTILE)), { nil: null }),
  form: fc.constantFrom('json', 'json', 'json', 'raw', 'text', 'form', 'none'),
});
type Attack = typeof attack extends fc.Arbitrary<infer T> ? T : never;

/** Requests to every endpoint of the OpenAPI document. Their number is bounded, and the same commit has the same cases. */
describe('every endpoint with unexpected requests', () => {
  const world = useTestApp({ env: { RATE_LIMIT_ENABLED: 'false' } });
  let document: DocumentInHand;
  let samples: Samples;
  let ids: string[];
  let tokens: (string | null)[];

  beforeAll(async () => {
    const { root, rootId } = await makeMagazine(world.app);
    document = await DocumentInHand.of(root);
    samples = new Samples(document);
    ids = [rootId, '01900000-0000-7000-8000-000000000001'];
    tokens = [];
  });

  /** Signs in again, because an attack may end the session of its caller. */
  const renew = async (): Promise<void> => {
    const people = [await signedIn(world.app, { roles: ['admin'] }), await signedIn(world.app)];
    tokens = [...people.map(({ token }) => token), null];
  };

  const request = (operation: DocumentedOperation, given: Attack, token: string | null): Parameters<typeof send>[0] => {
    const parameters = (operation.parameters ?? []) as { name: string; in: string; schema?: unknown }[];
    const word = (value: unknown): string => encodeURIComponent(wellFormed(asText(value)));
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const known = name === 'schema' ? 'posts' : ids[(given.steps[0] ?? 0) % ids.length]!;
      return word(given.path ?? known) || known;
    });
    const asked = parameters.filter((one) => one.in === 'query');
    const query =
      given.query === null
        ? ''
        : `?${word(asked[given.query[0] % (asked.length + 1)]?.name ?? given.name)}=${word(given.query[1])}`;
    const content = (operation.requestBody?.['content'] ?? {}) as Record<string, { schema?: unknown }>;
    const sample = samples.of(content['application/json']?.schema);
    const body = JSON.stringify(spoil(sample, given.steps, given.hostile, given.name) ?? null);
    return { method: operation.method.toUpperCase(), url: path + query, token, ...bodyOf(given.form, body) };
  };

  const send = async (options: {
    method: string;
    url: string;
    token: string | null;
    type?: string;
    body?: string;
  }): Promise<{ status: number; text: string }> => {
    const { method, url, token, type, body } = options;
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(type !== undefined && { 'content-type': type }),
    };
    const noBody = method === 'GET' || method === 'HEAD' || body === undefined;
    const answer = await fetch(world.app.url + url, { method, headers, redirect: 'manual', ...(!noBody && { body }) });
    return { status: answer.status, text: await answer.text() };
  };

  it('returns no 500, and every error in the envelope', async () => {
    const operations = document.operations();
    expect(operations.length).toBeGreaterThan(60);
    const seed = Number(process.env['TEST_SEED'] ?? 1);
    const faults: unknown[] = [];
    const statuses = new Map<number, number>();
    for (const [at, operation] of operations.entries()) {
      if (at % 8 === 0) await renew();
      const attacks = fc.sample(attack, { numRuns: EACH, seed: seed + at });
      for (const token of tokens) {
        const answers = await Promise.all(
          attacks.map(async (given) => {
            const asked = request(operation, given, token);
            return { asked, ...(await send(asked)) };
          }),
        );
        for (const { asked, status, text } of answers) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status >= 500 || (status >= 400 && asked.method !== 'HEAD' && !isEnvelope(asked.url, text)))
            faults.push({ asked, status, text: text.slice(0, 300) });
        }
      }
    }
    expect(faults).toEqual([]);
    // Not all requests are refused early.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(20);
    expect(statuses.get(422) ?? 0).toBeGreaterThan(5);
    expect(world.app.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

function bodyOf(form: Attack['form'], body: string): { type?: string; body?: string } {
  if (form === 'none') return {};
  if (form === 'raw') return { type: 'application/json', body: `${body.slice(0, -1)}\u0000` };
  if (form === 'text') return { type: 'text/plain', body };
  if (form === 'form')
    return { type: 'application/x-www-form-urlencoded', body: `a[b][]=${encodeURIComponent(wellFormed(body))}` };
  return { type: 'application/json', body };
}

/** Only API refusals must have a code and a message: pages are for users. */
function isEnvelope(url: string, text: string): boolean {
  if (!url.startsWith('/api/')) return true;
  try {
    const { code, message } = JSON.parse(text) as Json;
    return typeof code === 'string' && typeof message === 'string';
  } catch {
    return false;
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Replaces lone surrogates, because a client cannot send them in an address. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '%ED%A0%80');
}
