import { createHash } from 'node:crypto';
import type { Config } from '../../platform/config/config.types.js';
import type { AccentColors } from './accent-colors.js';

const HEAD_END = '</head>';

/** Returns the style sheet that replaces the product's colours with those of an accent (`dash/src/app/variables.css`). */
export function brandStyle({ main, strong, bright }: AccentColors): string {
  return `:root:root{--mantine-color-lintel-8:${main};--mantine-color-lintel-9:${strong};--mantine-color-lintel-7:${main};--mantine-color-lintel-3:${bright};--mantine-color-lintel-2:${bright};--mantine-color-lintel-0:color-mix(in srgb,${main} 8%,#fff);--mantine-color-lintel-1:color-mix(in srgb,${main} 16%,#fff)}
:root:root[data-mantine-color-scheme='light']{--lintel-plain-fill:color-mix(in srgb,${main} 8%,#fff)}
:root:root[data-mantine-color-scheme='dark']{--lintel-plain-fill:color-mix(in srgb,${bright} 14%,#1d2123);--mantine-color-lintel-filled-hover:${strong};--mantine-color-lintel-light:color-mix(in srgb,${bright} 14%,#1d2123);--mantine-color-lintel-light-hover:color-mix(in srgb,${bright} 22%,#1d2123);--mantine-color-lintel-outline-hover:color-mix(in srgb,${bright} 14%,#1d2123)}
`;
}

/**
 * Adds the brand to the document: logo, links to terms and privacy policy, and colours. It also adds the number of days that a browser can
 * be remembered.
 */
export function brandIn(
  document: string,
  {
    brand: { logo, colors, termsUrl, privacyUrl },
    auth: { rememberDays },
    basePath,
  }: Pick<Config, 'brand' | 'auth' | 'basePath'>,
): string {
  const parts = [
    logo && meta('app-logo', `${basePath}/dash/brand/logo?${mark(logo.content)}`),
    termsUrl && meta('app-terms', termsUrl),
    privacyUrl && meta('app-privacy', privacyUrl),
    rememberDays > 0 && meta('app-remembers', String(rememberDays)),
    colors && `<link rel="stylesheet" href="${basePath}/dash/brand/colors.css?${mark(brandStyle(colors))}" />`,
  ].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? document : document.replace(HEAD_END, () => `${parts.join('\n    ')}\n  ${HEAD_END}`);
}

function meta(name: string, content: string): string {
  return `<meta name="${name}" content="${content.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}" />`;
}

function mark(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}
