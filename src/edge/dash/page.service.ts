import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CliCarrierService } from '../../identity/auth/carrier/cli-carrier.service.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { ErrorPage } from '../../platform/http/output/error-page.service.js';
import { requestLanguage } from '../../platform/http/http.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { Language } from '../../kernel/text/language.js';
import { brandIn } from './brand-style.js';
import type { BuiltPages } from './built-pages.js';
import { pagePolicy } from './page-policy.js';
import { nameIn, placeIn, sayRefused, speakIn } from './page-name.js';

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
    private readonly carriers: CliCarrierService,
    private readonly errorPage: ErrorPage,
  ) {
    this.documents =
      pages === null
        ? null
        : inEachLanguage(brandIn(nameIn(placeIn(pages.index, config.basePath), config.appName), config));
    this.reference = pages === null ? null : nameIn(placeIn(pages.reference, config.basePath), config.appName);
  }

  onModuleInit(): void {
    const { documents } = this;
    const { accent, colors } = this.config.brand;
    if (colors !== null && colors.main !== accent)
      new Logger('Pages').warn(`APP_ACCENT ${accent} is too pale to read: buttons and links are ${colors.main}.`);
    if (documents === null) new Logger('Pages').warn('The pages were not built: /dash answers 404.');
    else
      this.errorPage.provide((reply, code) =>
        answer(reply, sayRefused(documents[this.languageFor(reply)], code), null),
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
    const target = typeof carrier === 'string' ? this.carriers.read(carrier) : null;
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
  return { en: speakIn(document, 'en'), de: speakIn(document, 'de') };
}

function answer(reply: FastifyReply, document: string, redirectUri: string | null): void {
  void reply
    .header('content-security-policy', pagePolicy(redirectUri))
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(document);
}
