import { AppError } from '../../../kernel/errors/app-error.js';
import { activeTracer, traced } from '../../../platform/tracing/tracing.public.js';
import { providerFailed, providerUnavailable } from './provider-failure.js';

export interface ProviderRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form to post; without it the request is a GET. */
  readonly form?: URLSearchParams;
  /** Time limit of the whole exchange, from the connection to the last byte. */
  readonly timeoutMs: number;
}

/** Maximum size of a response in bytes, after decompression. @internal */
const MAX_BYTES = 524_288;
/** Claims are flat, so a deeper response is treated as an attack. @internal */
const MAX_DEPTH = 20;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Requests JSON from a provider. Time, size and depth are limited, redirects are refused, and only JSON is accepted.
 *
 * @throws AppError `provider_unavailable` on a timeout, a network error, 429 or 5xx; `provider_failed` for every other response than 200
 * with JSON.
 */
export async function fetchJson(request: ProviderRequest): Promise<unknown> {
  // The trace headers are sent to the provider.
  const attributes = { 'server.address': new URL(request.url).host };
  const text = await traced('provider', { kind: 'client', attributes }, () => send(request));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw providerFailed('the response is not JSON', error);
  }
  if (!isShallow(value, MAX_DEPTH)) throw providerFailed('the response is nested too deeply');
  return value;
}

/** Like {@link fetchJson}, for a response that must be an object. */
export async function fetchObject(request: ProviderRequest): Promise<Record<string, unknown>> {
  const value = await fetchJson(request);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw providerFailed('the response is not a JSON object');
  }
  return value as Record<string, unknown>;
}

async function send({ url, headers, form, timeoutMs }: ProviderRequest): Promise<string> {
  try {
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...activeTracer()?.headers(), ...headers },
      body: form,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await readBounded(response);
    if (response.status === 200) return body;
    const reason = `the provider answered ${response.status}${errorWord(body)}`;
    throw response.status === 429 || response.status >= 500 ? providerUnavailable(reason) : providerFailed(reason);
  } catch (error) {
    throw asRefusal(error);
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (size > MAX_BYTES) throw providerFailed('the response is too large');
    chunks.push(chunk);
  }
  try {
    return UTF8.decode(Buffer.concat(chunks));
  } catch (error) {
    throw providerFailed('the response is not UTF-8', error);
  }
}

/** Returns the error code of an OAuth response (RFC 6749 §5.2) for the log. It shows, for example, that a client secret is wrong. */
function errorWord(body: string): string {
  const word = /^\s*\{[^{}]{0,200}?"error"\s*:\s*"([a-z_]{1,40})"/.exec(body)?.[1];
  return word === undefined ? '' : `: ${word}`;
}

function asRefusal(error: unknown): Error {
  if (error instanceof AppError) return error;
  const timedOut = error instanceof Error && error.name === 'TimeoutError';
  return providerUnavailable(timedOut ? 'no response in time' : 'the connection failed', error);
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((entry) => isShallow(entry, depth - 1));
}
