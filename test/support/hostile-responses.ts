import { type Behaviour, json } from './hostile-provider.js';

const DEEP = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const HUGE = Buffer.from(`{"x":"${'x'.repeat(20_000_000)}"}`);

export const GARBAGE: Readonly<Record<string, Behaviour>> = {
  'not JSON': '<html>hello</html>',
  'an empty body': '',
  'half an object': '{"access_token":"x"',
  null: 'null',
  'a number': '1',
  'a text': '"x"',
  'a list': '[]',
  'deep nesting': DEEP,
  'broken UTF-8': (_request, response) => response.end(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  'twenty megabytes': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(HUGE);
  },
  'a redirect': (_request, response) =>
    response.writeHead(302, { location: 'http://lintel.test/api/auth/methods' }).end(),
  'a permanent redirect': (_request, response) => response.writeHead(308, { location: 'http://127.0.0.1:1/' }).end(),
  'an error': (_request, response) => json(response, { error: 'invalid_client' }, 401),
  'an empty 204': (_request, response) => response.writeHead(204).end(),
  'a 201': (_request, response) => json(response, {}, 201),
};

export const SILENCE: Readonly<Record<string, Behaviour>> = {
  'hanging up': (request) => request.socket.destroy(),
  'hanging up in the middle': (request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{');
    setTimeout(() => request.socket.destroy(), 20);
  },
  'never answering': () => undefined,
  'never finishing': (_request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  },
  'an internal error': (_request, response) => json(response, { error: 'server_error' }, 500),
  'too many requests': (_request, response) => json(response, {}, 429),
  'not HTTP': (request) => request.socket.end('SSH-2.0-nonsense\r\n'),
};
