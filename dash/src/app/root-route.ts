import { createRootRoute, retainSearchParams } from '@tanstack/react-router';
import { Layout } from './layout.js';
import { NotFound } from './not-found.js';

export const root = createRootRoute({
  component: Layout,
  notFoundComponent: NotFound,
  // Every link keeps the language, because the service uses it when the page is reloaded.
  validateSearch: ({ lang }: Record<string, unknown>): { lang?: string } => (typeof lang === 'string' ? { lang } : {}),
  search: { middlewares: [retainSearchParams(['lang'])] },
});

/** Validates the query parameter `cli`, which identifies the sign-in of an app. All pages before the sign-in keep it. */
export const withCarrier = ({ cli }: Record<string, unknown>): { cli?: string } =>
  typeof cli === 'string' ? { cli } : {};
