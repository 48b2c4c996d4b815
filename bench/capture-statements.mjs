import pg from 'pg';
import { fill } from './blog-requests.mjs';

/** Statements of the blog contain one of its table names; other statements do not. */
const OF_THE_BLOG = /"posts"/;

/**
 * Returns the statements of each request in order, with their parameters. Also returns the values that change per request: the record id
 * and the new word. `send` sends a filled request and returns its body. Throws if a request uses more than one connection.
 */
export async function captureStatements(requests, values, send) {
  const captured = {};
  for (const [name, request] of Object.entries(requests)) {
    // The first request also runs one-time statements.
    await send(fill(request, { ...values, new: `warm-${name}` }));
    const word = `captured-${name.replace(/\W/g, '')}`;
    const { asked, result } = await listening(() => send(fill(request, { ...values, new: word })));
    const own = asked.filter((statements) => statements.some(({ text }) => OF_THE_BLOG.test(text)));
    if (own.length !== 1) throw new Error(`${name}: ${own.length} connections were used`);
    captured[name] = { statements: own[0], id: name === 'create' ? result.data.id : values.id, word };
  }
  return captured;
}

async function listening(work) {
  const { query } = pg.Client.prototype;
  const asked = new Map();
  pg.Client.prototype.query = function listen(...args) {
    const [config, given] = args;
    const text = typeof config === 'string' ? config : config.text;
    const parameters = (typeof config === 'string' ? null : config.values) ?? (Array.isArray(given) ? given : []);
    asked.set(this, [...(asked.get(this) ?? []), { text, parameters }]);
    return query.apply(this, args);
  };
  try {
    const result = await work();
    return { asked: [...asked.values()], result };
  } finally {
    pg.Client.prototype.query = query;
  }
}
