import type { FastifyRequest } from 'fastify';
import { acceptedLanguages, type Language, LANGUAGES, pickLanguage } from '../../../kernel/text/language.js';

export function acceptsGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const accepted = String(headers['accept-encoding'] ?? '').split(',');
  return accepted.some((entry) => /^\s*gzip\s*(;\s*q=(1(\.0*)?|0\.0*[1-9]\d*)\s*)?$/i.test(entry));
}

/** An entity tag. Proxies that compress weaken it (nginx, Cloudflare) or append the encoding (Apache). */
const ENTITY_TAG = /^(?:W\/)?"([^"]*?)(?:(?:-{1,2}|;)(?:gzip|br|zstd|deflate))?"$/;

/**
 * Returns the texts of the entity tags in a list such as `If-Match`, without their quotes; null for `*`. Invalid entries are skipped.
 *
 * Weak and strong tags are not distinguished. That is safe only for tags that begin with a version of the data, because a proxy that
 * compresses changes the bytes, not the version.
 */
export function versionTags(header: string): readonly string[] | null {
  const entries = header.split(',').map((entry) => entry.trim());
  return entries.includes('*') ? null : entries.flatMap((entry) => ENTITY_TAG.exec(entry)?.[1] ?? []);
}

/** Returns whether the client already has this version: `If-None-Match`, compared weakly (RFC 9110 §13.1.2). */
export function matchesEtag({ headers }: Pick<FastifyRequest, 'headers'>, tag: string): boolean {
  const tags = headers['if-none-match'];
  if (tags === undefined) return false;
  const [own = tag] = versionTags(tag) ?? [];
  return versionTags(tags)?.includes(own) !== false;
}

/** Returns the requested language, by `?lang=` or else `Accept-Language`; null if the service does not have it. */
export function requestLanguage({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): Language | null {
  const { lang } = Object(query) as { readonly lang?: unknown };
  const named = typeof lang === 'string' ? lang : null;
  return pickLanguage([named, ...acceptedLanguages(headers['accept-language'])], LANGUAGES);
}

/** Returns whether a browser opens a page, in contrast to a script that loads data. */
export function isForPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
}
