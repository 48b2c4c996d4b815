import type { Session } from '../../api/openapi.js';
import { texts } from '../../texts/texts.js';

/** Says where a session is: "Berlin, Germany"; without a database of addresses, whether it is in the network of this page. Null if neither is known. */
export function placeInWords({
  place,
  same_network,
  current,
}: Pick<Session, 'place' | 'same_network' | 'current'>): string | null {
  const { account, locale } = texts('account');
  const parts = [place?.city, place?.country && countryName(place.country, locale)].filter(Boolean);
  if (parts.length > 0) return parts.join(', ');
  return same_network && !current ? account.sessions.sameNetwork : null;
}

/** Returns the name of a country, or its code where that is none. */
function countryName(code: string, locale: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}
