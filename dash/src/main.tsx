import './callback-parameters.js';
import './app/styles.js';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ThemeProvider } from './app/theme-provider.js';
import { router } from './app/router.js';
import { peekCallbackParameter } from './callback-parameters.js';
import { getSessionState, onSessionChange } from './session/session-state.js';
import { isSignedIn } from './session/tokens.js';
import { languageOf, switchLanguage } from './texts/texts.js';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      retryOnMount: false,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** Clears the cached account data, so that another user cannot see it. */
onSessionChange(() => {
  const filter = { queryKey: ['account'] };
  if (getSessionState().status === 'signed-in') void queries.resetQueries(filter);
  else queries.removeQueries(filter);
});

/** Checks the session before the first page renders, unless a sign-in is being completed. */
if (peekCallbackParameter('code') === null) void isSignedIn();

const container = document.getElementById('root');

/** The service writes the initial language into the document. */
switchLanguage(languageOf(document.documentElement.lang) ?? 'en').then(draw, showStartError);

function draw(): void {
  if (!container) return;
  createRoot(container).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <ThemeProvider>
          <RouterProvider router={router} />
        </ThemeProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}

/** The message is in English, because no texts could be loaded. */
function showStartError(): void {
  if (container) container.textContent = 'This page could not be loaded. Check your connection, then reload it.';
}
