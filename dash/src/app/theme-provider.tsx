import { MantineContext, MantineThemeProvider, useProviderColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { memoryColorScheme } from './color-scheme.js';
import { theme } from './theme.js';

const root = () => document.documentElement;

/**
 * Provides the theme without `MantineProvider`, which creates style elements. The content security policy forbids them, and the style
 * sheets of the pages replace them.
 */
export function ThemeProvider({ children }: { children: ReactNode }) {
  const scheme = useProviderColorScheme({
    manager: memoryColorScheme,
    defaultColorScheme: 'auto',
    getRootElement: root,
    forceColorScheme: undefined,
  });
  return (
    <MantineContext
      value={{
        ...scheme,
        getRootElement: root,
        classNamesPrefix: 'mantine',
        cssVariablesSelector: ':root',
        withStaticClasses: false,
      }}
    >
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </MantineContext>
  );
}
