import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { NativeAppLogin } from '../../identity/auth/carrier/native-app-login.service.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { ErrorPage } from '../../platform/http/output/error-page.service.js';
import { requestLanguage } from '../../platform/http/http.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { directionOf, type Language } from '../../kernel/text/language.js';
import { brandIn } from './brand-style.js';
import type { BuiltPages } from './built-pages.js';

/** Injection token of the {@link BuiltPages}; null if they were not built. */
export const BUILT_PAGES = Symbol('BUILT_PAGES');

/** Sends the same document for every page. The web application selects the page by the URL. */
@Injectable()
export class PageService implements OnModuleInit {
  private readonly documents: Readonly<Record<Language, string>> | null;
  private readonly reference: string | null;

  constructor(
    @Inject(BUILT_PAGES) pages: BuiltPages | null,
    @Inject(CONFIG) private readonly config: Config,
    private readonly nativeApps: NativeAppLogin,
    private readonly errorPage: ErrorPage,
  ) {
    this.documents =
      pages === null
        ? null
        : inEachLanguage(brandIn(nameIn(withBasePath(pages.index, config.basePath), config.appName), config));
    this.reference = pages === null ? null : nameIn(withBasePath(pages.reference, config.basePath), config.appName);
  }

  onModuleInit(): void {
    const { documents } = this;
    const { accent, colors } = this.config.brand;
    if (colors !== null && colors.main !== accent)
      new Logger('Pages').warn(
        `APP_ACCENT ${accent} has too little contrast. Buttons and links use ${colors.main} instead.`,
      );
    if (documents === null) new Logger('Pages').warn('The web application was not built. /dash returns 404.');
    else
      this.errorPage.provide((reply, code) =>
        answer(reply, withSetupError(documents[this.languageFor(reply)], code), null),
      );
  }

  /**
   * Sends the document in the requested language. Only the carrier in the URL is read, and it is not consumed.
   *
   * @param carrier the query parameter `cli`, not validated.
   * @throws AppError `route_not_found` if the pages were not built.
   */
  send(reply: FastifyReply, carrier?: unknown): void {
    if (this.documents === null) throw new AppError('route_not_found');
    const target = typeof carrier === 'string' ? this.nativeApps.read(carrier) : null;
    answer(reply, this.documents[this.languageFor(reply)], target?.redirectUri ?? null);
  }

  /** @throws AppError `route_not_found` if the pages were not built. */
  sendReference(reply: FastifyReply): void {
    if (this.reference === null) throw new AppError('route_not_found');
    answer(reply, this.reference, null);
  }

  private languageFor({ request }: FastifyReply): Language {
    return requestLanguage(request) ?? this.config.appLanguage;
  }
}

function inEachLanguage(document: string): Readonly<Record<Language, string>> {
  return { en: withLanguage(document, 'en'), de: withLanguage(document, 'de') };
}

function answer(reply: FastifyReply, document: string, redirectUri: string | null): void {
  void reply
    .header('content-security-policy', pagePolicy(redirectUri))
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(document);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const META = /(<meta name="application-name" content=")[^"]*(")/;
const HTML = /<html lang="[^"]*"(?: dir="[^"]*")?/;
const TITLE = /(<title>)[^<]*(<\/title>)/;

/** Inserts the name of the service into the document: in a meta tag for the pages, and in the title. */
export function nameIn(document: string, appName: string): string {
  const name = appName.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  const put = (_all: string, before: string, after: string): string => before + name + after;
  return document.replace(META, put).replace(TITLE, put);
}

/** Adds the base path to the URLs in the document, and a meta tag for the pages. The build writes relative URLs for its files. */
function withBasePath(document: string, basePath: string): string {
  // Replace the absolute URLs first, because file URLs also get the base path.
  const placed = document
    .replaceAll(/(href|src)="\/(?!\/)/g, `$1="${basePath}/`)
    .replaceAll('="./assets/', `="${basePath}/dash/assets/`);
  return basePath === ''
    ? placed
    : placed.replace(META, (meta) => `<meta name="app-base" content="${basePath}" />\n    ${meta}`);
}

/** Sets the language of the document, for screen readers and for the pages. */
export function withLanguage(document: string, language: Language): string {
  return document.replace(HTML, `<html lang="${language}" dir="${directionOf(language)}"`);
}

/**
 * Adds the reason why the document is sent instead of the requested page. It is an error code, or `none` if the server has no page at that
 * URL, even if the web application knows a similar one.
 */
export function withSetupError(document: string, code: string | null): string {
  return document.replace(META, (meta) => `<meta name="page" content="${code ?? 'none'}" />\n    ${meta}`);
}

/** The only IP address that a source expression can contain (CSP 3 §6.7.2.9). */
const NAMED_BY_DIGITS = '127.0.0.1';
const IN_DIGITS = /^(\[.*\]|[\d.]+)$/;

/**
 * Returns the Content-Security-Policy of a page. It allows only its own files, and no inline scripts or styles.
 *
 * Browsers also apply `form-action` to the redirects of a form post. So a page that signs in to a native app must list the app's origin,
 * and only that one.
 *
 * @param redirectUri of the carrier on the page; null for every other page.
 */
export function pagePolicy(redirectUri: string | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${redirectUri === null ? "'self'" : `'self' ${sourceOf(new URL(redirectUri))}`}`,
  ].join('; ');
}

/** Returns the origin, or only the scheme if the grammar cannot express the host. */
function sourceOf({ hostname, origin, protocol }: URL): string {
  return IN_DIGITS.test(hostname) && hostname !== NAMED_BY_DIGITS ? protocol : origin;
}
