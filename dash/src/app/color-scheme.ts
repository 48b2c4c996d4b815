import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core';

/** Follows the system until the user chooses a theme. The choice is lost when the page is closed. */
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
