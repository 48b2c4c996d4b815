import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core';

/** Follows the system until the person chooses; the choice is kept for as long as the page is open. */
export const memoryColorScheme: MantineColorSchemeManager = (() => {
  let chosen: MantineColorScheme | null = null;
  return {
    get: (fallback) => chosen ?? fallback,
    set: (value) => {
      chosen = value;
    },
    subscribe: () => undefined,
    unsubscribe: () => undefined,
    clear: () => {
      chosen = null;
    },
  };
})();
