import { MantineContext, MantineThemeProvider, useProviderColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { memoryColorScheme } from './color-scheme.js';
import { theme } from './theme.js';

const root = () => document.documentElement;

/**
 * Shows what the components need, without `MantineProvider`: that one carries the code that writes style elements, which the policy
 * forbids and the style sheets of these pages make needless.
 */
export function Look({ children }: { children: ReactNode }) {
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
