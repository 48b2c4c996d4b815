import type { Session } from '../../api/openapi.js';
import { texts } from '../../texts/texts.js';

/**
 * Returns the location of a session: "Berlin, Germany". Without a GeoIP database, whether it is in the same network as this page; null if
 * unknown.
 */
export function describeLocation({
  place,
  same_network,
  current,
}: Pick<Session, 'place' | 'same_network' | 'current'>): string | null {
  const { account, locale } = texts('account');
  const parts = [place?.city, place?.country && countryName(place.country, locale)].filter(Boolean);
  if (parts.length > 0) return parts.join(', ');
  return same_network && !current ? account.sessions.sameNetwork : null;
}

/** Returns the name of a country, or an invalid code unchanged. */
function countryName(code: string, locale: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}
