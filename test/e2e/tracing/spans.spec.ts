import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { activeTracer, loadTracer } from '../../../src/platform/tracing/tracing.public.js';
import { JobQueue } from '../../../src/platform/jobs/job-queue.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { poolOf } from '../../../src/platform/database/connections/database-pool.js';
import { fetchJson } from '../../../src/sign-in/social/providers/fetch-json.js';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Mailbox, until } from '../../support/mailbox.js';
import { PASSWORD, signedIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;

/** Loads the SDK as an operator does, but keeps the spans in memory. */
function useSpans(): { readonly exporter: InMemorySpanExporter } {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  beforeAll(() => provider.register());
  afterAll(async () => {
    await provider.shutdown();
    for (const api of [trace, context, propagation]) api.disable();
    await loadTracer();
  });
  return { exporter };
}

describe('a service with an OpenTelemetry SDK', () => {
  const { exporter } = useSpans();
  let mailbox: Mailbox;
  let app: TestApp;

  beforeAll(async () => {
    mailbox = await Mailbox.open();
    app = await TestApp.start({ env: { MAIL_URL: mailbox.url } });
    // Its statements have separate traces.
    await app.stopBackgroundWork();
  });
  afterAll(async () => {
    await app?.stop();
    await mailbox?.close();
  });
  beforeEach(() => exporter.reset());

  const named = (name: string): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name === name);
  async function spanOf(name: string): Promise<ReadableSpan> {
    await until(
      () => named(name).length > 0,
      `a span ${name}; there are ${exporter
        .getFinishedSpans()
        .map((span) => span.name)
        .join(', ')}`,
    );
    return named(name)[0]!;
  }
  const traceOf = (span: ReadableSpan): string => span.spanContext().traceId;

  it('traces a request, its authentication, and each statement below it', async () => {
    const { token } = await signedIn(app);
    exporter.reset();
    await app.as(token).get('/api/auth/me').expect(200);
    const request = await spanOf('GET /api/auth/me');
    expect(request.kind).toBe(SpanKind.SERVER);
    expect(request.attributes).toMatchObject({ 'http.route': '/api/auth/me', 'http.response.status_code': 200 });
    for (const name of ['authenticate', 'authorize']) {
      const guard = await spanOf(name);
      expect([name, guard.parentSpanContext?.spanId]).toEqual([name, request.spanContext().spanId]);
    }
    const statements = exporter.getFinishedSpans().filter((span) => span.name.startsWith('postgresql '));
    expect(statements.length).toBeGreaterThan(0);
    expect(new Set(statements.map(traceOf))).toEqual(new Set([traceOf(request)]));
  });

  it('traces the statements of a request below it even if they wait for a connection', async () => {
    const { token } = await signedIn(app, { roles: ['admin'] });
    const list = () => app.as(token).get('/api/content/users?limit=1').expect(200);
    await list();
    const pool = poolOf(app.database);
    const connections = await Promise.all(Array.from({ length: app.config.databasePoolSize }, () => pool.connect()));
    exporter.reset();
    const answers = Promise.all([list(), list(), list()]);
    await until(() => pool.waitingCount === 3, 'three statements that wait');
    for (const client of connections) client.release();
    await answers;
    const requests = named('GET /api/content/:schema').map(traceOf);
    const statements = exporter.getFinishedSpans().filter((span) => span.name.startsWith('postgresql '));
    expect(new Set(requests).size).toBe(3);
    expect(statements.map(traceOf).sort()).toEqual(requests.sort());
  });

  it('traces the body of a request, its transaction, and the job that it enqueued', async () => {
    const body = {
      email: 'sesame@example.com',
      password: PASSWORD,
      password_confirmation: PASSWORD,
      first_name: 'Sesame',
    };
    await app.asGuest().post('/api/auth/local/register', body).expect(201);
    await app.get(JobWorker).drain();
    const [request, job] = [await spanOf('POST /api/auth/local/register'), await spanOf('job mail.send')];
    expect(traceOf(job)).toBe(traceOf(request));
    expect(job.kind).toBe(SpanKind.CONSUMER);
    const operations = exporter
      .getFinishedSpans()
      .filter((span) => traceOf(span) === traceOf(request))
      .map((span) => span.attributes['db.operation.name']);
    expect(operations).toEqual(expect.arrayContaining(['INSERT', 'START', 'COMMIT', 'DELETE']));
    await spanOf('postgresql DELETE');
    const recorded = JSON.stringify(
      exporter.getFinishedSpans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    expect(recorded).not.toMatch(/sesame|walnut|background_jobs|\$1|token/i);
  });

  /** Runs the work while a service looks for jobs. `polled` waits for a number of polls and their results. */
  async function whilePolling(
    work: (working: TestApp, polled: (times: number) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const polls = jest.spyOn(JobQueue.prototype, 'claim');
    const working = await TestApp.start({ env: { MAIL_URL: mailbox.url } });
    try {
      await work(working, async (times) => {
        const end = polls.mock.calls.length + times;
        await until(() => polls.mock.calls.length >= end, 'looks for jobs');
        await Promise.all(polls.mock.results.map(({ value }) => value as Promise<unknown>));
      });
    } finally {
      await working.stop();
      polls.mockRestore();
    }
  }

  it('keeps polls for jobs out of the trace of the enqueuing request', async () => {
    await whilePolling(async (working, polled) => {
      const body = { email: 'poppy@example.com', password: PASSWORD, password_confirmation: PASSWORD };
      await working.asGuest().post('/api/auth/local/register', body).expect(201);
      const job = await spanOf('job mail.send');
      await polled(1);
      const ofTrace = exporter.getFinishedSpans().filter((span) => traceOf(span) === traceOf(job));
      const statements = ofTrace.map((span) => span.attributes['db.operation.name']);
      expect([statements.includes('INSERT'), statements.includes('WITH')]).toEqual([true, false]);
    });
  });

  it('marks failures, and names routes by their pattern', async () => {
    await app.asGuest().get('/api/content/sesame/sesame');
    await app.asGuest().get('/sesame');
    expect((await spanOf('GET /api/content/:schema/:id')).status.code).toBe(0);
    expect((await spanOf('unmatched')).attributes).toMatchObject({ 'http.response.status_code': 404 });
    expect(
      exporter
        .getFinishedSpans()
        .map((span) => span.name)
        .join(),
    ).not.toContain('sesame');
  });

  it('starts a new trace for an untrusted client, and links to its trace', async () => {
    await app.asGuest().get('/healthz').set('traceparent', TRACEPARENT).expect(200);
    const request = await spanOf('GET /healthz');
    expect(traceOf(request)).not.toBe(CALLER.traceId);
    expect(request.parentSpanContext).toBeUndefined();
    expect(request.links.map((link) => link.context.traceId)).toEqual([CALLER.traceId]);
  });

  it.each([
    '',
    '00',
    TRACEPARENT.replace('0af7', 'zzzz'),
    `00-${'0'.repeat(32)}-${CALLER.spanId}-01`,
    'x'.repeat(5_000),
  ])('responds with any traceparent: %j', async (traceparent) => {
    await app
      .asGuest()
      .get('/healthz')
      .set('traceparent', traceparent)
      .set('tracestate', 'a=b,,=')
      .set('baggage', 'sesame')
      .expect(200);
    expect((await spanOf('GET /healthz')).links).toEqual([]);
  });

  it('continues the trace of a trusted proxy', async () => {
    const behind = await app.secondInstance({ env: { TRUST_PROXY: '1' } });
    await behind.asGuest().get('/healthz').set('traceparent', TRACEPARENT).expect(200);
    const request = await spanOf('GET /healthz');
    expect(request.parentSpanContext).toMatchObject(CALLER);
    expect(request.links).toEqual([]);
    await behind.stop();
  });

  it('propagates the trace to a provider, and nothing else', async () => {
    const receivedHeaders: IncomingHttpHeaders[] = [];
    const provider = createServer((request, response) => {
      receivedHeaders.push(request.headers);
      response.setHeader('content-type', 'application/json').end('{}');
    }).listen(0, '127.0.0.1');
    const url = await new Promise<string>((listening) =>
      provider.once('listening', () => listening(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`)),
    );
    await trace.getTracer('test').startActiveSpan('outer', async (outer) => {
      const baggage = propagation.createBaggage({ sesame: { value: 'sesame' } });
      await context.with(propagation.setBaggage(context.active(), baggage), () => fetchJson({ url, timeoutMs: 5_000 }));
      outer.end();
    });
    const [span, outer] = [await spanOf('provider'), await spanOf('outer')];
    expect(traceOf(span)).toBe(traceOf(outer));
    expect(receivedHeaders[0]).toMatchObject({ traceparent: `00-${traceOf(span)}-${span.spanContext().spanId}-01` });
    expect(receivedHeaders[0]).not.toHaveProperty('baggage');
    provider.close();
  });

  it('does not trace polls of the service itself', async () => {
    await whilePolling(async (_working, polled) => {
      await polled(2);
      expect(
        exporter
          .getFinishedSpans()
          .filter(({ parentSpanContext, name }) => parentSpanContext === undefined && name.startsWith('postgresql')),
      ).toEqual([]);
    });
  });
});

describe('a service without an SDK', () => {
  const world = useTestApp();

  it('starts no span, and stores no trace', async () => {
    expect(activeTracer()).toBeNull();
    const body = { email: 'nobody.watches@example.com', password: PASSWORD, password_confirmation: PASSWORD };
    await world.app.asGuest().post('/api/auth/local/register', body).set('traceparent', TRACEPARENT).expect(201);
    const rows = await world.app.sql('SELECT 1 FROM background_jobs WHERE traceparent IS NOT NULL');
    expect(rows).toEqual([]);
  });
});
