import { useSearch } from '@tanstack/react-router';

/** Returns what a link of a page carries on, so that the sign-in leads back to the app that sent the person. */
export function useWayBack(): { cli?: string } {
  const { cli } = useSearch({ strict: false });
  return cli === undefined ? {} : { cli };
}
