import * as exceptions from '@nestjs/common';
import { BadRequestException, HttpException, NotFoundException } from '@nestjs/common';
import { errorRow, type ErrorCode } from '../../../src/kernel/errors/error-catalogue.js';
import { useTestApp } from '../../support/test-app.js';
import { throwing, ThrowingModule } from './support/throwing.module.js';

const PLACES = ['handler', 'later', 'guard', 'pipe/1', 'interceptor', 'late', 'filter', 'middleware'] as const;

type ExceptionClass = new (message?: unknown) => HttpException;

/** Every exception of the framework with its own status. */
const CLASSES = Object.entries(exceptions).flatMap(([name, value]): [string, ExceptionClass][] =>
  typeof value === 'function' && value.prototype instanceof HttpException && value !== exceptions.IntrinsicException
    ? [[name, value as unknown as ExceptionClass]]
    : [],
);

/** The error code by status, for exceptions without further details. */
const VALUES: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  410: 'gone',
  411: 'bad_request',
  412: 'precondition_failed',
  413: 'body_too_large',
  415: 'content_type_unsupported',
  418: 'im_a_teapot',
  421: 'misdirected',
  422: 'unprocessable',
  423: 'bad_request',
  429: 'too_many_requests',
  431: 'headers_too_large',
  451: 'bad_request',
  499: 'bad_request',
};
const FAULTS: Readonly<Record<number, ErrorCode>> = {
  500: 'internal_error',
  501: 'not_implemented',
  502: 'bad_gateway',
  503: 'service_unavailable',
  504: 'gateway_timeout',
  505: 'http_version_not_supported',
  507: 'internal_error',
  599: 'internal_error',
};

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

describe('framework exceptions in code of a team', () => {
  const world = useTestApp({ modules: [ThrowingModule] });
  const ask = (place: string) => world.app.asGuest().get(`/acme/${place}`);
  const answer = async (place: string): Promise<Answer> => {
    const { status, body, headers } = await ask(place);
    return { status, body, headers };
  };

  describe.each(PLACES)('thrown at %s', (place) => {
    it.each(Object.entries(VALUES))('keep status %s and their message', async (status, error) => {
      throwing(() => new HttpException('Order 7 is not yours.', Number(status)));
      const { body, headers, ...got } = await answer(place);
      expect({ ...got, body }).toEqual({
        status: Number(status),
        body: { code: status, message: 'Order 7 is not yours.', data: { error } },
      });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-type']).toMatch(/^application\/json/);
    });

    it.each(Object.entries(FAULTS))('keep status %s, and their message for the log', async (status, error) => {
      throwing(() => new HttpException('connect to 10.0.0.7 as acme', Number(status)));
      const { body, headers, ...got } = await answer(place);
      expect({ ...got, body }).toEqual({
        status: Number(status),
        body: {
          code: status,
          message: errorRow(error).message,
          data: { error, request_id: headers['x-request-id'] },
        },
      });
      const lines = world.app.log.filter((line) => line.includes(String(headers['x-request-id'])));
      expect(lines.some((line) => line.includes('connect to 10.0.0.7 as acme'))).toBe(true);
    });

    it('keep their own error code', async () => {
      throwing(() => new HttpException({ error: 'out_of_stock', message: 'No soup left.', left: 0 }, 409));
      expect((await answer(place)).body).toEqual({
        code: '409',
        message: 'No soup left.',
        data: { error: 'out_of_stock' },
      });
    });
  });

  it.each(CLASSES)('%s returns its own status', async (_name, Exception) => {
    throwing(() => new Exception('A text of its own.'));
    const expected = new Exception('').getStatus();
    const { status, body } = await answer('handler');
    const error = { ...VALUES, ...FAULTS }[expected];
    expect({ status, body }).toMatchObject({ status: expected, body: { code: String(expected), data: { error } } });
    expect(body['message']).toBe(expected < 500 ? 'A text of its own.' : errorRow(error!).message);
  });

  it('a guard that returns false is a 403', async () => {
    const { status, body } = await answer('closed');
    expect({ status, body }).toEqual({
      status: 403,
      body: { code: '403', message: 'Forbidden resource', data: { error: 'forbidden' } },
    });
  });

  it.each([
    ['number/seven', 'Validation failed (numeric string is expected)'],
    ['uuid/7', 'Validation failed (uuid is expected)'],
  ])('a pipe that rejects %s returns the reason', async (place, message) => {
    const { status, body } = await answer(place);
    expect({ status, body }).toEqual({ status: 400, body: { code: '400', message, data: { error: 'bad_request' } } });
  });

  it('one with several messages, as of validation, returns all of them', async () => {
    throwing(() => new BadRequestException(['quantity must be positive', 'dish is required']));
    expect((await answer('handler')).body).toEqual({
      code: '400',
      message: 'quantity must be positive; dish is required',
      data: { error: 'bad_request' },
    });
  });

  it('middleware that does not throw lets the request through', async () => {
    throwing(() => null);
    await ask('middleware').expect(200);
  });

  it.each<[body: object, error: string]>([
    [{ error: 'out_of_stock' }, 'out_of_stock'],
    [{ code: 'acme.out-of-stock', error: 'Conflict' }, 'acme.out-of-stock'],
    [{ errorCode: 'outOfStock', error: 'Conflict' }, 'outOfStock'],
    [{ error: 'unique_violation' }, 'unique_violation'],
    [{ error: 'Conflict' }, 'conflict'],
    [{ error: 'not a word' }, 'conflict'],
    [{ error: '' }, 'conflict'],
    [{ error: '_private' }, 'conflict'],
    [{ error: 'a'.repeat(101) }, 'conflict'],
    [{ error: '<script>' }, 'conflict'],
    [{ error: 7 }, 'conflict'],
    [{ error: { toString: () => 'word' } }, 'conflict'],
    [{ code: 'ECONNREFUSED' }, 'conflict'],
    [[], 'conflict'],
  ])('the body %j has the error code %s', async (body, error) => {
    throwing(() => new HttpException(body, 409));
    const { body: got } = await answer('handler');
    expect(got).toEqual({ code: '409', message: errorRow('conflict').message, data: { error } });
  });

  it.each([0, 200, 204, 302, 304, 600, Number.NaN, 404.5, '404' as unknown as number])(
    'one with the status %s is an error of the code',
    async (status) => {
      throwing(() => new HttpException('Found elsewhere.', status));
      const { body } = await ask('handler').expect(500);
      expect(body.data.error).toBe('internal_error');
    },
  );

  it('reports a missing route only if it is missing', async () => {
    throwing(() => new NotFoundException('There is no order 7.'));
    expect((await answer('handler')).body['data']).toEqual({ error: 'not_found' });
    throwing(() => new NotFoundException('Cannot GET /acme/elsewhere'));
    expect((await answer('handler')).body['data']).toEqual({ error: 'not_found' });
    for (const place of ['nowhere', 'handler/further', 'nowhere?a=1'])
      expect((await answer(place)).body['data']).toEqual({ error: 'route_not_found' });
    const missing = await world.app.asGuest().post('/acme/nowhere', { quantity: 1 }).expect(404);
    expect(missing.body.data).toEqual({ error: 'route_not_found' });
    expect((await world.app.asGuest().delete('/acme/handler').expect(405)).body.data.error).toBe('method_not_allowed');
  });

  it.each([
    ['application/json', '{', 400, 'body_malformed'],
    ['application/json', '[1]', 400, 'body_malformed'],
    ['application/json', '{"__proto__":1}', 400, 'body_malformed'],
    ['text/plain', 'soup', 415, 'content_type_unsupported'],
    ['application/json', JSON.stringify({ note: 'x'.repeat(1_100_000) }), 413, 'body_too_large'],
  ])('a body of %s that the framework rejects keeps its own error', async (type, text, status, error) => {
    const { body } = await world.app.asGuest().post('/acme/orders').set('content-type', type).send(text).expect(status);
    expect(body.data.error).toBe(error);
  });
});
