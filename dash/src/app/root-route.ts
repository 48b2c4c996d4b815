import { createRootRoute, retainSearchParams } from '@tanstack/react-router';
import { Layout } from './layout.js';
import { NotFound } from './not-found.js';

/** Route that all pages are in. */
export const root = createRootRoute({
  component: Layout,
  notFoundComponent: NotFound,
  // In which language the service answers the page when it is loaded again: it goes along wherever the page leads.
  validateSearch: ({ lang }: Record<string, unknown>): { lang?: string } => (typeof lang === 'string' ? { lang } : {}),
  search: { middlewares: [retainSearchParams(['lang'])] },
});

/**
 * Validates the search of all pages. `cli` is the carrier of an app's sign-in, as the app's address has it: the way back from whatever
 * comes before the sign-in.
 */
export const withCarrier = ({ cli }: Record<string, unknown>): { cli?: string } =>
  typeof cli === 'string' ? { cli } : {};
