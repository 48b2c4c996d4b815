import { useSearch } from '@tanstack/react-router';

/** Returns the query parameters that a link must keep, so that the sign-in leads back to the app. */
export function useAppSearch(): { cli?: string } {
  const { cli } = useSearch({ strict: false });
  return cli === undefined ? {} : { cli };
}
