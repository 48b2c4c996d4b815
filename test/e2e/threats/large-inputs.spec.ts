import { appendFileSync, readFileSync } from 'node:fs';
import { magazine } from '../../support/content-fixture.js';
import { type LargeInput, largeInputs, parsedAndRefused } from '../../support/large-inputs.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { useServiceHome } from '../../support/service-home.js';
import { signIn } from '../../support/service-users.js';
import type { Service } from '../../support/service.js';

/** Number of texts and headers for each place of a request. 14 covers all of them. */
const SHARE = Number(process.env['LARGE_INPUTS'] ?? 2);

/** Maximum processor time of a request, relative to parsing and refusing a list of empty objects of the same size. */
const MOST_TIMES = 5;
/** The same limit relative to parsing and refusing the same JSON: objects with many names are parsed slowly. */
const MOST_TIMES_OF_PARSING = 3;

jest.setTimeout(600_000 + SHARE * 300_000);

const root = { email: 'root@example.com', password: 'a long enough password 1' };
/** Selects inputs by name. The default is all. */
const ONLY = new RegExp(process.env['LARGE_INPUTS_ONLY'] ?? '');
const REPORT = process.env['LARGE_INPUTS_REPORT'];

/** Sends 1 MB inputs to every operation of the OpenAPI document, with as many members, items, parts, names or terms as fit. */
(process.platform === 'linux' ? describe : describe.skip)('large inputs', () => {
  const world = useServiceHome();
  let service: Service;
  let token: string;

  beforeAll(async () => {
    const made = await world.home.run(['admin:create', '--email', root.email, '--password', root.password]);
    if (made.code !== 0) throw new Error(made.stderr);
    service = await world.home.start({ env: { RATE_LIMIT_ENABLED: 'false', AUTH_CLI_LOGIN_ENABLED: 'true' } });
    token = await signIn(service, root);
    const { status, body } = await service.post('/api/schema?back_refs=create', { schemas: magazine() }, token);
    if (status !== 201) throw new Error(JSON.stringify(body));
  });

  /** Processor time of the main thread so far, in milliseconds. The event loop is blocked no longer than that. */
  const spent = (): number =>
    Number(readFileSync(`/proc/${service.pid}/task/${service.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

  const send = async ({ method, path, headers, body }: LargeInput): Promise<{ status: number; cpu: number }> => {
    const before = spent();
    const answer = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      redirect: 'manual',
      ...(method !== 'GET' && { body }),
      signal: AbortSignal.timeout(60_000),
    });
    await answer.arrayBuffer();
    return { status: answer.status, cpu: spent() - before };
  };

  /** Returns the longest wait of another request while an input is processed, because imports alternate with requests. */
  const longestWait = async (input: LargeInput): Promise<number> => {
    let [isDone, longest] = [false, 0];
    const sent = send(input).finally(() => (isDone = true));
    while (!isDone) {
      const from = performance.now();
      await (await fetch(`${service.url}/livez`)).arrayBuffer();
      longest = Math.max(longest, performance.now() - from);
    }
    await sent;
    return longest;
  };

  const baselineOf = async (tries: number, body?: Buffer): Promise<number> => {
    const found: number[] = [];
    for (let count = 0; count < tries; count += 1) found.push((await send(parsedAndRefused(body))).cpu);
    return found.sort((left, right) => left - right)[Math.floor(tries / 2)]!;
  };

  /** Returns the cost of an input as a multiple of the baseline. A high cost is measured again: other work may have been counted. */
  const costOf = async (input: LargeInput, cpu: number, baseline: number): Promise<number> => {
    let least = cpu / baseline;
    for (let tries = 0; tries < 3 && least > MOST_TIMES; tries += 1) {
      const isJson = input.headers['content-type'] === 'application/json';
      const parsing = isJson ? (await baselineOf(3, input.body)) * MOST_TIMES_OF_PARSING : 0;
      const now = Math.max(await baselineOf(3), parsing / MOST_TIMES);
      least = Math.min(least, (await longestWait(input)) / now, (await send(input)).cpu / now);
    }
    return least;
  };

  it('cost little more than parsing, without a 5xx', async () => {
    const document = new DocumentInHand((await service.get('/api/openapi.json', token)).body);
    const baseline = await baselineOf(9);
    const faults: string[] = [];
    for (const input of largeInputs(document, SHARE)) {
      if (!ONLY.test(input.name)) continue;
      const { status, cpu } = await send(input);
      if (status === 401) token = await signIn(service, root).catch(() => token);
      const cost = await costOf(input, cpu, baseline);
      if (REPORT !== undefined)
        appendFileSync(REPORT, `${cost.toFixed(1)}\t${cpu.toFixed(0)}\t${status}\t${input.name}\n`);
      if (status >= 500 || cost > MOST_TIMES) faults.push(`${status}, ${cost.toFixed(1)} times: ${input.name}`);
    }
    expect(faults).toEqual([]);
  });
});
