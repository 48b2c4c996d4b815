import { existsSync, readFileSync, statSync } from 'node:fs';
import { defineVariables, parseAddress, type Parser, ValueFault } from '../../platform/config/config.public.js';
import { type AccentColors, accentColors } from './accent-colors.js';

/** @internal */
const LARGEST_LOGO_BYTES = 200 * 1_024;
/** Image types, detected by the first bytes. */
const KINDS: readonly { readonly type: string; readonly isKind: (content: Buffer) => boolean }[] = [
  { type: 'image/png', isKind: (content) => content.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n' },
  { type: 'image/webp', isKind: (content) => /^RIFF.{4}WEBP/s.test(content.subarray(0, 12).toString('latin1')) },
  {
    type: 'image/svg+xml',
    isKind: (content) => /^\s*(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)*<svg[\s>]/.test(content.toString('utf8')),
  },
];

/** An image that replaces the product's logo. */
export interface Logo {
  /** In base64. */
  readonly content: string;
  readonly type: string;
}

const parseLogo: Parser<Logo> = (path) => {
  if (!existsSync(path) || !statSync(path).isFile()) throw new ValueFault('name an existing file');
  if (statSync(path).size > LARGEST_LOGO_BYTES) throw new ValueFault('name a file of at most 200 KB');
  const content = readFileSync(path);
  const kind = KINDS.find(({ isKind }) => isKind(content));
  if (kind === undefined) throw new ValueFault('name an image: SVG, PNG or WebP');
  return { content: content.toString('base64'), type: kind.type };
};

const parseColor: Parser<string> = (text) => {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new ValueFault('be a colour such as #1c5b6a');
  return text.toLowerCase();
};

/** Variables of the brand, besides `APP_NAME`. */
export const BRAND_VARIABLES = defineVariables(
  'Service',
  {
    APP_LOGO: {
      parse: parseLogo,
      inForce: ({ brand: { logo } }) => logo?.type ?? '',
      meaning: 'file of a logo that the pages show before the name: SVG, PNG or WebP, at most 200 KB',
    },
    APP_ACCENT: {
      parse: parseColor,
      inForce: ({ brand: { accent } }) => accent ?? '',
      meaning:
        'colour of buttons and links on the pages, such as `#1c5b6a`. A colour with too little contrast is replaced by the nearest readable one, with a warning at startup',
    },
    APP_TERMS_URL: { parse: parseAddress(['https:', 'http:']), meaning: 'address of the terms, linked on every page' },
    APP_PRIVACY_URL: {
      parse: parseAddress(['https:', 'http:']),
      meaning: 'address of the privacy policy, linked on every page',
    },
  },
  {
    settings: ({ APP_LOGO, APP_ACCENT, APP_TERMS_URL, APP_PRIVACY_URL }) => ({
      brand: {
        logo: APP_LOGO ?? null,
        accent: APP_ACCENT ?? null,
        colors: APP_ACCENT === undefined ? null : accentColors(APP_ACCENT),
        termsUrl: APP_TERMS_URL ?? null,
        privacyUrl: APP_PRIVACY_URL ?? null,
      },
    }),
  },
);

declare module '../../platform/config/config.types.js' {
  interface Config {
    readonly brand: {
      readonly logo: Logo | null;
      /** As configured. */
      readonly accent: string | null;
      readonly colors: AccentColors | null;
      readonly termsUrl: string | null;
      readonly privacyUrl: string | null;
    };
  }
}
