import { Header } from '@nestjs/common';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';

/** Directives that are closed by default: they are not covered by `default-src`, or are the default itself. */
const CLOSED = {
  'default-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
} as const;

const NAME = /^[a-z-]+$/;
/** Visible ASCII characters without comma and semicolon, which end a policy or a directive. */
const SOURCES = /^[!-+\--:<-~]+( [!-+\--:<-~]+)*$/;

/** Sources of a content security policy, by directive: `{ 'script-src': "'self'" }`. Directives that are left out stay closed. */
export type PolicyDirectives = Readonly<
  Partial<
    Record<
      | keyof typeof CLOSED
      | 'connect-src'
      | 'font-src'
      | 'frame-src'
      | 'img-src'
      | 'manifest-src'
      | 'media-src'
      | 'object-src'
      | 'script-src'
      | 'style-src'
      | 'worker-src',
      string
    >
  >
>;

/**
 * Sets the content security policy of the pages of a route. By default all responses forbid scripts, styles, images and frames, because an
 * API needs none (CSP level 3). Example: `{ 'script-src': "'self'", 'style-src': "'self'" }`.
 *
 * @throws DefinitionError for sources that are not separated by single spaces, or contain a comma or a semicolon.
 */
export function ContentSecurityPolicy(directives: PolicyDirectives): MethodDecorator {
  const all: Readonly<Record<string, string>> = { ...CLOSED, ...directives };
  const odd = Object.entries(all).find(([name, sources]) => !NAME.test(name) || !SOURCES.test(sources));
  if (odd !== undefined)
    throw new DefinitionError(
      `@ContentSecurityPolicy has ${odd[0]} ${JSON.stringify(odd[1])}: separate sources with single spaces, such as "'self' https://cdn.example.com".`,
    );
  const policy = Object.entries(all).map(([directive, sources]) => `${directive} ${sources}`);
  return Header('content-security-policy', policy.join('; '));
}
